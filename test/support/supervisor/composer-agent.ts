import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PaneRef } from '../../../src/core/pane.ts'
import type { World } from '../create-world.ts'
import { waitFor } from '../wait-for.ts'
import { fakeProgram } from './fake-program.ts'
import type { Faults, LogEntry } from './ranch.ts'

/** The fake agent in a pane of the operator's own, as if they had started it there. */
export type ComposerAgent = {
  pane: PaneRef
  session: string
  pid: number
  log(): LogEntry[]
  submitted(): string[]
  setFaults(faults: Faults): void
  screen(): Promise<string>
}

/** Resolves once it has finished its first prompt and is in the queue, unless `until` says otherwise. */
export async function startComposerAgent(
  world: World,
  name: string,
  { prompt = 'Begin.', faults = {} }: { prompt?: string; faults?: Faults } = {},
): Promise<ComposerAgent> {
  const fileOf = (what: string) => join(world.dir, `${name}.${what}`)
  writeFileSync(fileOf('faults'), JSON.stringify(faults))
  const program = join(fakeProgram(name, world.dir), name)
  const window = ['new-window', '-d', '-t', '=work:', '-n', name, '-P', '-F', '#{pane_id}']
  const id = await world.tmux.run(...window, `'${program}' '${prompt}'; exec sh`)
  const log = (): LogEntry[] =>
    existsSync(fileOf('log'))
      ? readFileSync(fileOf('log'), 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as LogEntry)
      : []
  const started = await waitFor(() => log().find(({ kind }) => kind === 'started'), {
    what: `${name} to be up`,
  })
  const { session, pid = 0 } = started as LogEntry
  await world.waitForQueue(`${name} to be queued`, (items) =>
    items.some((item) => item.session === session),
  )
  return {
    pane: { socket: world.tmux.socket, id },
    session,
    pid,
    log,
    submitted: () =>
      log().flatMap(({ kind, text }) => (kind === 'submitted' && text ? [text] : [])),
    setFaults: (next) => {
      writeFileSync(fileOf('new-faults'), JSON.stringify(next))
      renameSync(fileOf('new-faults'), fileOf('faults'))
    },
    screen: () => world.tmux.run('capture-pane', '-p', '-t', id),
  }
}
