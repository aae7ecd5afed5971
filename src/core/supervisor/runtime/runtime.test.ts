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

const started = withPane(after(registered, 5, 'start_runtime'), {
  socket: '/s',
  id: '%3',
  server: 7,
  pid: 8,
})

test('a registered runtime does not run, and takes its names from workspace and role', () => {
  expect(registered).toMatchObject({ status: 'stopped', failures: [] })
  expect(registered.agentId).toBe('mobile_core/reviewer')
  expect(targetOf(registered)).toBe('agents_mobile_core:reviewer.0')
})

test.each<[RuntimeEvent, RuntimeEvent[]]>([
  ['pane_dead', ['agent_detected']],
  ['pane_missing', ['agent_detected']],
  ['wrong_command', ['agent_detected']],
  ['process_failed', ['agent_detected']],
  ['spawn_failed', ['agent_detected', 'spawn_new_runtime']],
  ['start_timeout', []],
  ['pane_dead', []],
])('%s after %j is a failure', (event, before) => {
  expect(after(started, 9, ...before, event).failures).toEqual([9])
})

test.each<[RuntimeEvent[]]>([
  [['agent_detected', 'clean_exit']],
  [['stop_runtime', 'runtime_stopped']],
  [['agent_detected', 'process_ended']],
])('%j is not a failure', (events) => {
  expect(after(started, 9, ...events).failures).toEqual([])
})

test('a runtime has exactly the fields of its status', () => {
  const lifecycleOf = (runtime: Runtime) => {
    const own = Object.keys(runtime).filter((key) => key === 'pane' || key === 'restartBy')
    return [runtime.status, ...own.toSorted()]
  }
  const ready = after(started, 9, 'agent_detected')
  const stopping = after(ready, 9, 'stop_runtime')
  expect(lifecycleOf(registered)).toEqual(['stopped', 'restartBy'])
  expect(lifecycleOf(started)).toEqual(['starting', 'pane'])
  expect(lifecycleOf(ready)).toEqual(['ready', 'pane'])
  expect(lifecycleOf(stopping)).toEqual(['stopping', 'pane', 'restartBy'])
  expect(lifecycleOf(after(stopping, 9, 'runtime_stopped'))).toEqual(['stopped', 'restartBy'])
})

test('it is not ready without a pane, and giving up keeps the time since when it is down', () => {
  const starting = after(registered, 5, 'start_runtime')
  expect(afterRuntimeEvent(starting, 'agent_detected', 9, DEFAULT_RULES.restart)).toBeUndefined()
  const failed = after(starting, 9, 'pane_missing')
  const givenUp = after(failed, 20, 'reconcile_failed')
  expect(givenUp).toMatchObject({ status: 'given-up', statusAt: 9 })
  expect(after(givenUp, 30, 'start_runtime')).toMatchObject({ status: 'failed', statusAt: 9 })
})

test('failures that are too old are forgotten', () => {
  const old = { ...started, failures: [1, 2] }
  const at = DEFAULT_RULES.restart.windowMs + 2
  expect(after(old, at, 'pane_dead').failures).toEqual([at])
})
