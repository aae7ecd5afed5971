import { expect, test } from 'vitest'
import { DEFAULT_RULES } from '../defaults.ts'
import { afterRuntimeEvent, newRuntime, type Runtime, targetOf, withPane } from './runtime.ts'
import type { RuntimeEvent } from './runtime-transition.ts'

const registered = newRuntime(
  {
    runtimeId: 'rt_1',
    workspaceId: 'mobile_core',
    role: 'reviewer',
    harness: 'any',
    socket: '/s',
    cwd: '/w',
  },
  0,
)

function after(runtime: Runtime, now: number, ...events: RuntimeEvent[]): Runtime {
  return events.reduce((one, event) => {
    const next = afterRuntimeEvent(one, event, now, DEFAULT_RULES.restart)
    if (!next) throw new Error(`${event} means nothing in ${one.status}.`)
    return next
  }, runtime)
}

const started = withPane(after({ ...registered, wantsRunning: true }, 5, 'start_runtime'), {
  tmuxPane: '%3',
  serverPid: 7,
  panePid: 8,
})

test('what is registered does not run, and has its names from workspace and role', () => {
  expect(registered).toMatchObject({ status: 'stopped', wantsRunning: false, failures: [] })
  expect(registered.agentId).toBe('mobile_core/reviewer')
  expect(targetOf(registered)).toBe('agents_mobile_core:reviewer.0')
})

test.each<[RuntimeEvent, RuntimeEvent[]]>([
  ['pane_dead', ['agent_detected']],
  ['pane_missing', ['agent_detected']],
  ['wrong_command', ['agent_detected']],
  ['start_timeout', []],
  ['pane_dead', []],
])('%s after %j is a failure', (event, before) => {
  expect(after(started, 9, ...before, event).failures).toEqual([9])
})

test.each<[RuntimeEvent[]]>([
  [['agent_detected', 'clean_exit']],
  [['stop_runtime', 'runtime_stopped']],
  [['agent_detected', 'trigger_runtime', 'send_keys_ok', 'ack_received']],
  [['agent_detected', 'defer_timeout', 'resume_ok']],
])('%j is none', (events) => {
  expect(after(started, 9, ...events).failures).toEqual([])
})

test('what has stopped has no pane, and is not wanted any more', () => {
  const stopped = after(started, 9, 'stop_runtime', 'runtime_stopped')
  expect(stopped).toMatchObject({ wantsRunning: false, tmuxPane: undefined, panePid: undefined })
})

test('failures that are too long ago are forgotten', () => {
  const old = { ...started, failures: [1, 2] }
  const at = DEFAULT_RULES.restart.windowMs + 2
  expect(after(old, at, 'pane_dead').failures).toEqual([at])
})
