import type { PaneRef } from '../../src/core/pane.ts'
import type { TmuxServer } from './tmux-server.ts'
import { waitFor } from './wait-for.ts'

/**
 * The human: a terminal (a pane of an outer tmux) with a tmux client attached to the server under test. Keys
 * pressed here arrive at that client as bytes, like from a keyboard.
 */
export type Operator = {
  press(...keys: string[]): Promise<void>
  type(text: string): Promise<void>
  /** The pane that the operator's client shows, on whichever server it is attached to. */
  pane(): Promise<PaneRef | null>
  clientName(): Promise<string>
  /** `flags` of capture-pane: `-e` keeps the colours. */
  screen(...flags: string[]): Promise<string>
  lookAt(pane: PaneRef): Promise<void>
  waitToBeOn(pane: PaneRef): Promise<void>
  waitToSee(pattern: RegExp): Promise<string>
  /**
   * Waits for a message to this client. It disappears from the screen after a second or two, but stays in
   * tmux's own log.
   */
  pressToBeTold(pattern: RegExp, ...keys: string[]): Promise<void>
  /** Presses its key and waits until it has drawn itself: before that, the pane behind it may show the same. */
  openPopup(): Promise<void>
  /** Presses q and waits until the popup is off the screen: until then it gets every key. */
  closePopup(): Promise<void>
  popupGone(): Promise<void>
}

export async function seatOperator(
  terminal: TmuxServer,
  servers: () => TmuxServer[],
): Promise<Operator> {
  const tty = await terminal.run('display-message', '-p', '-t', 'terminal:', '#{pane_tty}')
  const clientOn = async (server: TmuxServer): Promise<string | undefined> => {
    const { stdout } = await server.try('list-clients', '-F', '#{client_tty} #{pane_id}')
    return stdout
      .split('\n')
      .find((line) => line.startsWith(`${tty} `))
      ?.split(' ')[1]
  }
  /** Oldest first. */
  const messages = async (): Promise<string[]> => {
    const logs = await Promise.all(servers().map((server) => server.try('show-messages')))
    return logs.flatMap(({ stdout }) => {
      const lines = stdout.split('\n').map((line) => line.split(` ${tty} message: `)[1])
      return lines.filter((line) => line !== undefined).toReversed()
    })
  }
  const operator: Operator = {
    press: async (...keys) => {
      await terminal.run('send-keys', '-t', 'terminal:', ...keys)
    },
    type: async (text) => {
      await terminal.run('send-keys', '-t', 'terminal:', '-l', text)
    },
    pane: async () => {
      for (const server of servers()) {
        const id = await clientOn(server)
        if (id) return { socket: server.socket, id }
      }
      return null
    },
    clientName: async () => tty,
    screen: (...flags) => terminal.run('capture-pane', '-p', ...flags, '-t', 'terminal:'),
    lookAt: async (pane) => {
      const server = servers().find(({ socket }) => socket === pane.socket)
      if (!server) throw new Error(`no tmux server of this world at ${pane.socket}`)
      await server.run('switch-client', '-c', tty, '-t', pane.id)
      await operator.waitToBeOn(pane)
    },
    waitToBeOn: async (pane) => {
      await waitFor(operator.pane, {
        what: `the operator's client to show pane ${pane.id} of ${pane.socket}`,
        until: (seen) => seen?.id === pane.id && seen.socket === pane.socket,
      })
    },
    waitToSee: (pattern) =>
      waitFor(() => operator.screen(), {
        what: `the operator's screen to show ${pattern}`,
        until: (text) => pattern.test(text),
      }),
    pressToBeTold: async (pattern, ...keys) => {
      const before = (await messages()).length
      await operator.press(...keys)
      await waitFor(messages, {
        what: `the operator to be told ${pattern}`,
        until: (all) => all.slice(before).some((message) => pattern.test(message)),
      })
    },
    openPopup: async () => {
      await operator.press('C-b', 'g')
      await operator.waitToSee(/│ Trail Boss /)
    },
    closePopup: async () => {
      await operator.press('q')
      await operator.popupGone()
    },
    popupGone: async () => {
      await waitFor(operator.screen, {
        what: 'the popup to be closed',
        until: (text) => !/[┌└]/.test(text),
      })
    },
  }
  await waitFor(operator.pane, { what: "the operator's client to be attached" })
  return operator
}
