import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { TriggerView } from '../../../src/contract/supervisor.ts'
import { isAlive } from '../../support/processes.ts'
import { waitFor } from '../../support/wait-for.ts'
import { say } from '../support/model/reply.ts'
import type { RealRanch } from '../support/real-ranch.ts'
import { waitToSee } from '../support/tests/composer.ts'
import { ranchTest } from '../support/tests/ranch-test.ts'

/**
 * This `codex queue` kills the daemon that runs it. The file `moment` says when: `never` queues nothing, `before` queues
 * the prompt a little later, `after` has queued it.
 */
const test = ranchTest({
  supervisor: { delivery: { recheckMs: 500 } },
  prompts: { codex: 'You tend the horses. Await triggers.' },
  wrapper: (codex) =>
    [
      '#!/bin/sh',
      `[ "$1" = queue ] || exec '${codex}' "$@"`,
      'file=$(dirname "$0")/moment',
      'moment=$(cat "$file" 2>/dev/null); rm -f "$file"',
      'case "$moment" in',
      '  never) kill -s KILL "$PPID"; exit 1 ;;',
      '  before) kill -s KILL "$PPID"; sleep 4 ;;',
      `  after) '${codex}' "$@"; kill -s KILL "$PPID"; exit ;;`,
      'esac',
      `exec '${codex}' "$@"`,
      '',
    ].join('\n'),
})

const MOMENTS = ['never', 'before', 'after'] as const

for (const [n, moment] of MOMENTS.entries()) {
  test(`a daemon that is killed during the hand-over, with the prompt queued: ${moment}, has it given exactly once`, async ({
    ranch,
  }) => {
    if (n === 0) await ranch.start('codex')
    const { pid, pane } = await ranch.hasSaid(
      'codex',
      n === 0 ? 'Done.' : `Errand ${n - 1} is done.`,
    )
    if (n === 0) await leaveADraft(ranch, pane!.id)
    const draft = await waitToSee('codex', { name: 'codex', pane: pane! }, 'text')
    ranch.models.codex.plan(`Errand ${n}:`, say(`Errand ${n} is done.`))
    writeFileSync(join(ranch.world.dir, 'moment'), moment)
    const { id } = await ranch.trigger('codex', `Errand ${n}: count the horses.`)
    await restarted(ranch)

    const trigger = await ranch.settled(id)
    expect(trigger).toMatchObject({ state: 'delivered', via: 'channel', pastes: 0, resumes: 0 })
    await ranch.hasSaid('codex', `Errand ${n} is done.`)
    expect(ranch.timesSaid('codex', `Errand ${n}:`)).toBe(1)
    expect((await ranch.runtime('codex')).pid).toBe(pid)
    expect(await waitToSee('codex', { name: 'codex', pane: pane! }, 'text')).toEqual(draft)
    expect(tookMs(trigger)).toBeLessThan(60_000)
  })
}

/** Not through the operator's client: triggers would wait for him. */
async function leaveADraft({ world }: RealRanch, pane: string): Promise<void> {
  await world.tmux.run('send-keys', '-t', pane, '-l', 'half a thought')
}

/** Once the daemon was killed. */
async function restarted({ world }: RealRanch): Promise<void> {
  const pid = await world.daemonPid().catch(() => undefined)
  if (pid !== undefined) await waitFor(() => !isAlive(pid), { what: 'the daemon to be killed' })
  await world.up()
}

function tookMs({ createdAt, settledAt }: TriggerView): number {
  return (settledAt ?? Number.POSITIVE_INFINITY) - createdAt
}
