import { messageOf, TrailBossError } from '../../../core/errors.ts'
import { findClient, type OperatorClient, showMessage, unattached } from '../../../tmux/navigate.ts'
import { type ClientView, viewOf } from '../../../tmux/place.ts'
import { note } from '../../context/output.ts'

/** The tmux server that the command is for. */
type OnServer = { socket: string }

/** The client that a command is for. A key passes it; otherwise we look for it. */
export type OperatorOptions = { client?: string; pane?: string }

export function operatorClient(
  context: OnServer,
  options: OperatorOptions,
): Promise<OperatorClient> {
  const pane = options.pane ?? process.env['TMUX_PANE']
  return findClient(context.socket, {
    ...(options.client && { client: options.client }),
    ...(pane && { pane }),
  })
}

/** What that client shows; throws `NO_CLIENT` if it is not attached. `left`: what is not done then, in a sentence. */
export async function operatorView(
  context: OnServer,
  options: OperatorOptions,
  left: string,
): Promise<ClientView> {
  const client = await operatorClient(context, options)
  const view = await viewOf(client)
  if (view) return view
  throw unattached(client.name, left)
}

/** A key's command has no terminal, so its messages go to the client's status line. */
export async function tell(
  context: OnServer,
  options: OperatorOptions,
  message: string,
): Promise<void> {
  if (options.client) {
    await showMessage({ socket: context.socket, name: options.client }, `trailboss: ${message}`)
  } else {
    note(message)
  }
}

/** Runs a key's command. An error shows in the status line, and still sets the exit code. */
export async function forOperator(
  context: OnServer,
  options: OperatorOptions,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (options.client) {
      const hint = error instanceof TrailBossError && error.hint ? ` ${error.hint}` : ''
      await tell(context, options, `${messageOf(error)}${hint}`)
    }
    throw error
  }
}
