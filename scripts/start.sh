#!/bin/sh
# `npm start`: build, start the daemon, say what to press next. Running it again is harmless.
CDPATH= cd "$(dirname "$0")/.." || exit 1

if [ ! -d node_modules/esbuild ]; then
  echo "trailboss: its packages are not installed yet." >&2
  echo "  Install them with: npm install" >&2
  exit 127
fi

# npm prefers the Node of node_modules, too, where there is one for this platform.
PATH=$PWD/node_modules/.bin:$PATH
major=$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null)
if [ "${major:-0}" -lt 24 ]; then
  echo "trailboss: it needs Node 24 or newer; found ${major:-none}." >&2
  echo "  Install Node 24 on this machine, or bring one into node_modules:" >&2
  echo "    npm install --include=optional" >&2
  exit 127
fi

if ! command -v tmux >/dev/null 2>&1; then
  echo "trailboss: tmux is not installed; Trail Boss works inside tmux 3.2 or newer." >&2
  echo "  Debian/Ubuntu: sudo apt install tmux" >&2
  echo "  Fedora: sudo dnf install tmux    macOS: brew install tmux" >&2
  exit 6
fi

echo "Building …"
node scripts/build.ts || exit 1

# What the daemon starts keeps this environment: npm's must not be in it.
for name in $(env | sed -n 's/^\(npm_[A-Za-z0-9_]*\)=.*/\1/p') INIT_CWD NODE COLOR; do
  unset "$name"
done
[ "${EDITOR-}" != vi ] || unset EDITOR
PATH=$(printf '%s' "$PATH" | tr : '\n' | grep -v -e '/node_modules/\.bin$' -e 'node-gyp-bin$' | paste -s -d : -)
export PATH

bin/trailboss up || exit $?
echo
bin/trailboss status || exit $?
cat <<'NEXT'

What next:
  bin/trailboss demo                 try the keys on scripted agents
  bin/trailboss install tmux         bind them in your tmux; asks first
  bin/trailboss install claude-code  let your agents report when they wait;
                                     or: codex, opencode, gemini, qwen
  bin/trailboss watch <pane>         watch any other program by its screen
  bin/trailboss doctor               check the installation

Once bound:
  prefix Tab   go to the oldest stuck session
  prefix g     pick from the queue
  prefix S     skip this one and go to the next
  prefix B     go back to where you were
NEXT
