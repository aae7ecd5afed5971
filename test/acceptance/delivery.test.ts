import { expect, test } from 'vitest'
import { createRanch } from '../support/supervisor/ranch.ts'

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
