import { expect } from 'vitest'
import type { AuditView, TriggerView } from '../../../src/contract/supervisor.ts'
import { waitFor } from '../../support/wait-for.ts'
import { say } from '../support/model/reply.ts'
import type { RealRanch } from '../support/real-ranch.ts'
import { waitToSee } from '../support/tests/composer.ts'
import { ranchTest } from '../support/tests/ranch-test.ts'

/** What is queued is queued, but the script around it fails afterwards. */
const test = ranchTest({
  prompts: { codex: 'You tend the horses. Await triggers.' },
  wrapper: (codex) =>
    `#!/bin/sh\n[ "$1" = queue ] || exec '${codex}' "$@"\n'${codex}' "$@"\nexit 1\n`,
})

test('a channel that fails after it took the prompt has it given once, and is not asked again', async ({
  ranch,
}) => {
  const { models } = ranch
  await ranch.start('codex')
  const { pane } = await ranch.hasSaid('codex', 'Done.')
  await ranch.world.tmux.run('send-keys', '-t', pane!.id, '-l', 'half a thought')
  await waitToSee('codex', { name: 'codex', pane: pane! }, 'text')
  models.codex.plan('Errand 1:', say('Errand 1 is done.'))
  const first = await settled(ranch, 'Errand 1: feed the horses.')
  expect(first).toMatchObject({ state: 'delivered', via: 'channel', pastes: 0 })
  const { lines } = await ranch.get<AuditView>(`/audit?trigger=${first.id}&limit=100`)
  expect(lines.find(({ kind }) => kind === 'channel_written')).toMatchObject({
    result: 'unknown: it ended with 1',
  })

  await ranch.hasSaid('codex', 'Errand 1 is done.')
  models.codex.plan('Errand 2:', say('Errand 2 is done.'))
  const { id } = await ranch.trigger('codex', 'Errand 2: water them.')
  await waitFor(() => ranch.triggerOf(id), {
    what: 'the trigger to give way to the words in the composer',
    until: ({ state }) => state === 'deferred',
  })
  await ranch.world.tmux.run('send-keys', '-t', pane!.id, 'C-u')
  const second = await ranch.settled(id)
  expect(second).toMatchObject({ state: 'delivered', via: 'paste' })
  await ranch.hasSaid('codex', 'Errand 2 is done.')
  for (const errand of ['Errand 1:', 'Errand 2:']) {
    expect(ranch.timesSaid('codex', errand)).toBe(1)
  }
})

async function settled(ranch: RealRanch, text: string): Promise<TriggerView> {
  const { id } = await ranch.trigger('codex', text)
  return ranch.settled(id)
}
