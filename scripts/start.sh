#!/bin/sh
# `npm start`: build, start the daemon, say what to press next. Running it again is harmless.
cd "$(dirname "$0")/.." || exit 1

if ! command -v tmux >/dev/null 2>&1; then
  echo "trailboss: tmux is not installed; Trail Boss works inside tmux 3.2 or newer." >&2
  echo "  Debian/Ubuntu: sudo apt install tmux    Fedora: sudo dnf install tmux    macOS: brew install tmux" >&2
  exit 6
fi

echo "Building …"
node scripts/build.ts || exit 1
bin/trailboss up || exit $?
echo
bin/trailboss status || exit $?
cat <<'NEXT'

What next:
  bin/trailboss demo            try the three keys on a throwaway herd, one minute
  bin/trailboss install tmux    bind them in your own tmux (shows the change first)
  bin/trailboss doctor          check every link of the chain

Once bound:
  prefix Tab   go to the oldest stuck session
  prefix g     pick from the queue
  prefix S     skip this one and go to the next
NEXT
