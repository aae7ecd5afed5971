import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestHerd, type TestHerd } from '../../../test/support/daemon/test-herd.ts'
import { loadConfig } from '../../config/config.ts'
import { listAudit } from '../../store/tables/audit.ts'
import { audit } from './context.ts'

let world: TestHerd
beforeEach(() => {
  world = createTestHerd()
})
afterEach(() => world[Symbol.dispose]())

test('an audited event is logged under the same name, without the text that was typed', () => {
  const logged: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) })
  const settings = { ...loadConfig('/nonexistent', {}).supervisor, keepsPayloads: true }
  const context = { db: world.store.db, clock: world.herd.clock, settings, log }
  audit(context, {
    kind: 'trigger_sent',
    actor: 'operator:ana',
    agentId: 'ranch/lead',
    triggerId: 'trg_1',
    result: 'ok',
    payload: 'Deploy it',
  })
  expect(JSON.parse(logged[0] ?? '')).toMatchObject({
    msg: 'trigger_sent',
    actor: 'operator:ana',
    agent_id: 'ranch/lead',
    trigger_id: 'trg_1',
    result: 'ok',
  })
  expect(logged.join('')).not.toContain('Deploy')
  expect(listAudit(context.db).lines).toMatchObject([
    { kind: 'trigger_sent', payload: { text: 'Deploy it' } },
  ])
})
