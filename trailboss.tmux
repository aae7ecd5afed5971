#!/bin/sh
# The entry for TPM, which runs it inside tmux. Options, all optional, before TPM's own line:
#   set -g @trailboss-key-next Tab     set -g @trailboss-key-popup g     set -g @trailboss-key-skip S
#   set -g @trailboss-key-back B
#   set -g @trailboss-key-dismiss D    set -g @trailboss-key-drain R     (they have no key unless you choose one)
#   set -g @trailboss-status on        adds the stuck count to the status line
#   set -g @trailboss-start off        leaves it to you to start the daemon
root=$(CDPATH= cd "$(dirname "$0")" && pwd -P) || exit 0

# Shows text in the status line, in pieces that fit, one after the other. At start-up there may be no
# client yet that could show it.
say() {
  tries=20
  width=
  while [ -z "$width" ] && [ "$tries" -gt 0 ]; do
    width=$(tmux list-clients -F '#{?client_control_mode,,#{client_width}}' | sort -n | grep -m 1 .)
    [ -n "$width" ] || sleep 0.5
    tries=$((tries - 1))
  done
  # tmux would expand # and % in it.
  printf 'trailboss: %s\n' "$1" | fold -s -w "${width:-80}" | sed 's/[#%]/&&/g' |
    while IFS= read -r line; do
      tmux display-message -d 6000 "$line"
      sleep 6
    done
}

if [ ! -f "$root/dist/trailboss.mjs" ]; then
  place=$root
  case $root in "${HOME%/}"/*) place="~${root#"${HOME%/}"}" ;; esac
  (say "run npm install && npm run build in $place") >/dev/null 2>&1 &
  exit 0
fi

set -- install tmux --print
for action in next popup skip back dismiss drain; do
  key=$(tmux show-options -gqv "@trailboss-key-$action")
  [ -z "$key" ] || set -- "$@" "--key-$action" "$key"
done
[ "$(tmux show-options -gqv @trailboss-status)" != on ] || set -- "$@" --status
[ "$(tmux show-options -gqv @trailboss-start)" != off ] || set -- "$@" --no-start

# The server that this runs in is meant, whatever the environment says.
unset TRAILBOSS_TMUX_SOCKET

bind_keys() {
  if keys=$("$root/bin/trailboss" "$@"); then
    printf '%s\n' "$keys" | tmux source-file -
    printf '%s\n' "$keys" | sed -n 's/^# \(prefix .* is taken: \)/\1/p' |
      while IFS= read -r taken; do say "$taken"; done
  else
    why=$("$root/bin/trailboss" "$@" 2>&1 >/dev/null)
    say "$(printf '%s' "${why#trailboss: }" | tr -s '\n ' ' ')"
  fi
}

# In the background, since TPM waits for each of its plugins. A function alone would keep its output open.
(bind_keys "$@") >/dev/null 2>&1 &
exit 0
