import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { AuditView, TriggerView } from '../../../src/contract/supervisor.ts'
import { waitFor } from '../../support/wait-for.ts'
import { say } from '../support/model/reply.ts'
import type { RealRanch } from '../support/real-ranch.ts'
import { waitToSee } from '../support/tests/composer.ts'
import { ranchTest } from '../support/tests/ranch-test.ts'

/**
 * Codex takes prompts for a session by a command of its own, and asks for them every eight seconds. The process in
 * the file `doomed` stands still during that command and is killed after it, so that it cannot ask in between.
 */
const test = ranchTest({
  supervisor: { delivery: { quietMs: 10_000, deferLimitMs: 12_000, recheckMs: 500 } },
  prompts: { codex: 'You tend the horses. Await triggers.' },
  wrapper: (codex) =>
    [
      '#!/bin/sh',
      `[ "$1" = queue ] || exec '${codex}' "$@"`,
      'doomed=$(cat "$(dirname "$0")/doomed" 2>/dev/null)',
      '[ -z "$doomed" ] || kill -s STOP "$doomed"',
      `'${codex}' "$@" || exit`,
      '[ -z "$doomed" ] || kill -s KILL "$doomed"',
      '',
    ].join('\n'),
})

test('an idle, empty composer is typed into, which is quicker than its own channel', async ({
  ranch,
}) => {
  await ranch.start('codex')
  await ranch.hasSaid('codex', 'Done.')
  ranch.models.codex.plan('Errand 0:', say('Errand 0 is done.'))
  expect(await delivered(ranch, 'Errand 0: be quick.')).toMatchObject({ via: 'paste', pastes: 1 })
  await ranch.hasSaid('codex', 'Errand 0 is done.')
})

test('beside a draft it goes through its own channel, and nothing is typed', async ({ ranch }) => {
  await leaveADraft(ranch)
  ranch.models.codex.plan('Errand 1:', say('Errand 1 is done.'))
  const text = `Errand 1: say "it's done" to $HOME; \`now\`, ünd --so on`
  const trigger = await delivered(ranch, text)

  // A hook that a busy daemon did not answer in time is told of later than the transcript.
  const ack = { kind: expect.stringMatching(/^(?:hook|transcript)$/) }
  expect(trigger).toMatchObject({ via: 'channel', pastes: 0, enters: 0, ack })
  await ranch.models.codex.waitForRequest('Errand 1:')
  expect(ranch.timesSaid('codex', text)).toBe(1)
  expect(await audited(ranch, trigger)).toEqual([
    'trigger_queued ok',
    'trigger_claimed ok',
    'channel_written ok',
    'trigger_sent ok',
    'ack_received ok',
    'trigger_delivered ok',
  ])
  await clearTheDraft(ranch)
})

test('who has words in the composer keeps them: it goes in beside them, once he had his time', async ({
  ranch,
}) => {
  const { operator } = ranch.world
  const { pane, pid } = await ranch.hasSaid('codex', 'Errand 1 is done.')
  await operator.lookAt(pane!)
  await operator.type('half a thought')

  ranch.models.codex.plan('Errand 2:', say('Errand 2 is done.'))
  const { id } = await ranch.trigger('codex', 'Errand 2: count the horses.')
  const trigger = await ranch.settled(id)

  expect(trigger).toMatchObject({ state: 'delivered', via: 'channel', pastes: 0, enters: 0 })
  expect(await audited(ranch, trigger)).toContain('trigger_deferred OPERATOR_BUSY')
  await ranch.models.codex.waitForRequest('Errand 2:')
  const draft = await waitToSee('codex', { name: 'codex', pane: pane! }, 'text')
  expect(draft).toEqual({ kind: 'text', text: 'half a thought' })
  expect((await ranch.runtime('codex')).pid).toBe(pid)
  await operator.press('C-u')
  await operator.lookAt({ socket: ranch.world.tmux.socket, id: '%0' })
})

test('a daemon that is killed meanwhile finds that it has arrived, and gives it once', async ({
  ranch,
}) => {
  await ranch.hasSaid('codex', 'Errand 2 is done.')
  await leaveADraft(ranch)
  ranch.models.codex.plan('Errand 6:', say('Errand 6 is done.'))
  const { id } = await ranch.trigger('codex', 'Errand 6: oil the hinges.')
  await isHandedOver(ranch, id)
  await ranch.world.killDaemon9()
  await ranch.models.codex.waitForRequest('Errand 6:')
  await ranch.world.up()

  expect(await ranch.settled(id)).toMatchObject({ state: 'delivered', via: 'channel', pastes: 0 })
  await ranch.hasSaid('codex', 'Errand 6 is done.')
  expect(ranch.timesSaid('codex', 'Errand 6:')).toBe(1)
  await clearTheDraft(ranch)
})

test('after an interruption it is typed as well: its channel would hold it', async ({ ranch }) => {
  ranch.models.codex.plan('Errand 3:', say('one more word '.repeat(200), { wordMs: 100 }))
  expect(await delivered(ranch, 'Errand 3: talk.')).toMatchObject({ via: 'paste' })
  await ranch.models.codex.waitForRequest('Errand 3:')
  const { pane } = await ranch.runtime('codex')
  await waitFor(() => ranch.screenOf('codex'), {
    what: 'Codex to talk',
    until: (screen) => screen.includes('one more word one more word'),
  })
  await ranch.world.tmux.run('send-keys', '-t', pane!.id, 'Escape')
  await waitFor(() => ranch.screenOf('codex'), {
    what: 'Codex to be interrupted',
    until: (screen) => screen.includes('Conversation interrupted'),
  })

  ranch.models.codex.plan('Errand 4:', say('Errand 4 is done.'))
  expect(await delivered(ranch, 'Errand 4: be quick.')).toMatchObject({ via: 'paste' })
  await ranch.models.codex.waitForRequest('Errand 4:')
  expect(ranch.timesSaid('codex', 'Errand 4:')).toBe(1)
})

test('what its channel holds when its process is killed comes out when the session goes on', async ({
  ranch,
}) => {
  const { pid, session } = await ranch.hasSaid('codex', 'Errand 4 is done.')
  await leaveADraft(ranch)
  ranch.models.codex.plan('Errand 5:', say('Errand 5 is done.'))
  const doomed = join(ranch.world.dir, 'doomed')
  writeFileSync(doomed, String(pid))
  const { id } = await ranch.trigger('codex', 'Errand 5: mend the gate.')

  expect(await ranch.settled(id)).toMatchObject({ state: 'delivered', via: 'resume', pastes: 0 })
  rmSync(doomed)
  await ranch.models.codex.waitForRequest('Errand 5:')
  expect(ranch.timesSaid('codex', 'Errand 5:')).toBe(1)
  expect(await ranch.runtime('codex')).toMatchObject({ session })
})

test('where its operator has begun another conversation, it is typed into the one that is seen', async ({
  ranch,
}) => {
  const { pane, session } = await ranch.hasSaid('codex', 'Errand 5 is done.')
  const { tmux } = ranch.world
  await tmux.run('send-keys', '-t', pane!.id, '-l', '/new')
  await waitFor(() => ranch.screenOf('codex'), {
    what: 'Codex to offer /new',
    until: (screen) => /^› \/new\s*$/m.test(screen),
  })
  await tmux.run('send-keys', '-t', pane!.id, 'Enter')
  await waitFor(() => ranch.screenOf('codex'), {
    what: 'Codex to show another conversation',
    until: (screen) => !screen.includes('Errand 5 is done.'),
  })
  await waitToSee('codex', { name: 'codex', pane: pane! }, 'empty')

  ranch.models.codex.plan('Errand 7:', say('Errand 7 is done.'))
  expect(await delivered(ranch, 'Errand 7: start over.')).toMatchObject({ via: 'paste' })
  const now = await ranch.hasSaid('codex', 'Errand 7 is done.')
  expect(now.session).not.toBe(session)
  expect(await ranch.screenOf('codex')).toContain('Errand 7:')
})

/** Not through the operator's client: triggers would wait for him. */
async function leaveADraft(ranch: RealRanch): Promise<void> {
  const { pane } = await ranch.runtime('codex')
  await ranch.world.tmux.run('send-keys', '-t', pane!.id, '-l', 'half a thought')
  await waitToSee('codex', { name: 'codex', pane: pane! }, 'text')
}

async function clearTheDraft(ranch: RealRanch): Promise<void> {
  const { pane } = await ranch.runtime('codex')
  await ranch.world.tmux.run('send-keys', '-t', pane!.id, 'C-u')
  await waitToSee('codex', { name: 'codex', pane: pane! }, 'empty')
}

async function delivered(ranch: RealRanch, text: string): Promise<TriggerView> {
  const { id } = await ranch.trigger('codex', text)
  const trigger = await ranch.settled(id)
  expect(trigger).toMatchObject({ state: 'delivered' })
  return trigger
}

/** Not by its state: Codex may ask for it in the very moment, and it is delivered. */
async function isHandedOver(ranch: RealRanch, id: string): Promise<void> {
  await waitFor(() => audited(ranch, { id }), {
    what: 'the channel to have it',
    until: (lines) => lines.includes('channel_written ok'),
  })
}

/** Of a trigger, oldest first. */
async function audited({ get }: RealRanch, { id }: Pick<TriggerView, 'id'>): Promise<string[]> {
  const { lines } = await get<AuditView>(`/audit?trigger=${id}&limit=100`)
  return lines.toReversed().map(({ kind, result }) => `${kind} ${result}`)
}
