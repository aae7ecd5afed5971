/** A key's note in `list-keys`, and what it runs. */
export type Binding = [note: string, command: string]

/** Expands to the place where the client was before its last jump: the option has its pid in its name. */
export const WAS = '#{E:##{@trailboss_back_#{client_pid}#}}'

const HERE = '#{session_id}:#{window_id}.#{pane_id}'
const THERE = '#{E:@trailboss_was}'

/** For a command that is expanded once, before the client goes, and then run: Back will come here. */
export const REMEMBER_HERE = `set-option -g @trailboss_back_#{client_pid} "${HERE}"`

/** The same: the client goes to this pane by Next, now. */
export function arrivedAt(pane: string): string {
  return `set-option -g @trailboss_at_#{client_pid} "${pane} #{T:@trailboss_now}"`
}

/** The client is not where a Next took it any more, or its operator looks at something else. */
export const LEFT = 'set-option -gqu @trailboss_at_#{client_pid}'
/** tmux ends a modifier at a colon, also within a pattern. */
const SESSION = `#{s/[^$0-9].*//:${THERE}}`
/** A pane that was moved since is found by its id alone. */
const PANE = `#{s/^.*[.]//:${THERE}}`
/** tmux finds a pane even where it no longer is. */
const IS_THERE = `##{&&:##{==:${SESSION}:##{window_id}.##{pane_id},${THERE}},##{m:* ${SESSION} *, ##{S:##{session_id} }}}`
const GONE = 'display-message -d 2500 "trailboss: the pane that you were in is closed"'

const GO_TO = (target: string) => `switch-client -Z -t "${target}" ; ${REMEMBER_HERE} ; ${LEFT}`

const BACK = `if-shell -F -t "${PANE}" "${IS_THERE}" { ${GO_TO(THERE)} } { if-shell -F -t "${PANE}" "##{==:##{pane_id},${PANE}}" { ${GO_TO(PANE)} } { ${GONE} } }`

/** Like Next, decided by tmux alone; only a place on another server needs the program. */
export const BIND_BACK: Binding = [
  'trailboss: back to where you were, and forward again',
  `if-shell -F '#{m/r:#{@trailboss_place},${THERE}}' {
  if-shell -F '#{==:${HERE},${THERE}}' {
    display-message -d 2500 'trailboss: this is where you were before the last jump'
  } {
    if-shell -F '#{>=:#{version},3.3}' {
      set-option -gF @trailboss_go '${BACK}'
      set-hook -R @trailboss_go
    } {
      run-shell -C '${BACK}'
    }
  }
} {
  if-shell -F '${THERE}' {
    run-shell -C '#{@trailboss_back}'
  } {
    display-message -d 1500 'trailboss: nowhere to go back to: you have not jumped yet'
  }
}`,
]
