#!/bin/sh
# The entry for TPM, which runs it inside tmux. Options, all optional, before TPM's own line:
#   set -g @trailboss-key-next Tab     set -g @trailboss-key-popup g     set -g @trailboss-key-skip S
#   set -g @trailboss-status on        adds the stuck count to the status line
root=$(CDPATH= cd "$(dirname "$0")" && pwd -P) || exit 0

# At start-up there may be no client yet that could show the message.
say() {
  tries=20
  while [ -z "$(tmux list-clients -F '#{?client_control_mode,,x}')" ] && [ "$tries" -gt 0 ]; do
    tries=$((tries - 1))
    sleep 0.5
  done
  tmux display-message -d 6000 "trailboss: $1"
}

if [ ! -f "$root/dist/trailboss.mjs" ]; then
  # A path is no format: what tmux would expand in it is doubled.
  place=$(printf '%s' "$root" | sed 's/[#%]/&&/g')
  say "it is not built yet; in a shell: cd '$place' && npm install && npm run build" >/dev/null 2>&1 &
  exit 0
fi

set -- install tmux --print
for action in next popup skip; do
  key=$(tmux show-options -gqv "@trailboss-key-$action")
  [ -z "$key" ] || set -- "$@" "--key-$action" "$key"
done
[ "$(tmux show-options -gqv @trailboss-status)" != on ] || set -- "$@" --status

# The server that this runs in is meant, whatever the environment says.
unset TRAILBOSS_TMUX_SOCKET

bind_keys() {
  if keys=$("$root/bin/trailboss" "$@"); then
    printf '%s\n' "$keys" | tmux source-file -
    case $keys in
      *': no key'*) say 'some keys are taken and left alone; in a shell: trailboss install tmux --print' ;;
    esac
  else
    say 'no key could be bound; in a shell: trailboss install tmux --print'
  fi
}

# In the background: TPM waits for each of its plugins.
bind_keys "$@" >/dev/null 2>&1 &
exit 0
