import { expect, test } from 'vitest'
import type { ThreadView, TriggersView } from '../../src/contract/supervisor.ts'
import { createRanch, patient, scaled } from '../support/supervisor/ranch.ts'
import { waitFor } from '../support/wait-for.ts'

test('a trigger is delivered with proof, once, and the audit tells how', async () => {
  await using ranch = await createRanch({ roles: ['hand'] })
  await ranch.start('hand')

  const { id } = await ranch.trigger('hand', 'Mend the north fence.')
  const trigger = await ranch.settled(id)

  expect(trigger).toMatchObject({
    state: 'delivered',
    via: 'paste',
    pastes: 1,
    ack: { kind: expect.stringMatching(/^(?:hook|transcript)$/) },
  })
  expect(ranch.submitted('hand')).toEqual([expect.stringContaining('Mend the north fence.')])
})

test('a new session for a trigger of a thread gets the prompt of its role and a summary of the thread', async () => {
  const settings = patient(scaled(10))
  const delivery = { ...(settings['delivery'] as object), resumeAttempts: 0 }
  await using ranch = await createRanch({
    roles: ['hand'],
    prompts: { hand: 'You work on fences.' },
    supervisor: { ...settings, delivery },
  })
  await ranch.start('hand')
  const about = { workspace: 'ranch', title: 'The fence', participants: ['hand'] }
  const { id } = await ranch.post<ThreadView>('/threads', about)
  ranch.setFaults('hand', { dieOn: 'paste' })
  await ranch.post('/messages', { thread: id, text: 'The north fence is down.', by: 'ana' })

  const { triggers } = await waitFor(() => ranch.get<TriggersView>(`/triggers?thread=${id}`), {
    what: 'its trigger to have ended',
    until: ({ triggers: [trigger] }) => trigger?.settledAt != null,
  })
  expect(triggers).toMatchObject([{ state: 'delivered', via: 'spawn' }])
  const [first, again = ''] = ranch.submitted('hand')
  expect(first).toContain('You work on fences.')
  const [role, summary, envelope] = again.split('\n\n')
  expect(role).toBe('You work on fences.')
  expect(summary).toMatch(
    new RegExp(`^Thread ${id} "The fence" .*\\n.* ana: The north fence is down.$`),
  )
  expect(envelope).toMatch(new RegExp(`^\\[tb:\\w{10}\\] \\[BRIDGE_TRIGGER .*thread=${id} `))
  expect(ranch.log('hand').filter(({ kind }) => kind === 'started')).toHaveLength(2)
})
