import { expect, test } from 'vitest'
import { newRuntime, type Runtime } from '../../core/supervisor/runtime/runtime.ts'
import { failureOf } from './runtime-item.ts'

const told = { runtimeId: 'rt_1', workspaceId: 'ranch', role: 'fence', harness: 'codex' }
const failed: Runtime = {
  ...newRuntime({ ...told, socket: '/nowhere', cwd: '/ranch' }, 1),
  status: 'given-up',
  pane: undefined,
  lastFailure: { code: 'PANE_DEAD' },
}

test('a configured runtime that has failed for good can be started again', () => {
  expect(failureOf(failed, undefined)).toEqual({
    about: { kind: 'runtime', id: 'rt_1' },
    text: 'Runtime ranch/fence has failed for good. PANE_DEAD: The pane is there, but the process in it has ended. See agents_ranch:fence, then: trailboss runtime start ranch/fence',
    cwd: '/ranch',
  })
})

test('the runtime of a dispatch is not to be started without its task', () => {
  expect(failureOf(failed, { name: 'fence' }).text).toBe(
    'The agent of dispatch fence has failed for good. PANE_DEAD: The pane is there, but the process in it has ended. See agents_ranch:fence, or: trailboss dispatch logs fence. To clear it away: trailboss dispatch stop fence',
  )
})
