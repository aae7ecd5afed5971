import { expect, test } from 'vitest'
import type { TmuxResult } from '../exec.ts'
import { createJoinedRun } from './joined-run.ts'

const SOCKET = '/tmp/tb-nowhere/none'

/** A tmux that prints the last word of each command, and fails at a command that says so. */
function createEcho() {
  const processes: (readonly (readonly string[])[])[] = []
  const run = async (_: string, commands: (typeof processes)[number]): Promise<TmuxResult> => {
    processes.push(commands)
    const words = commands.map((one) => one.at(-1) ?? '')
    const kind = (['failed', 'no-server'] as const).find((one) => words.includes(one))
    if (kind) return { ok: false, kind, stderr: 'as the test wants', code: 1 }
    return { ok: true, stdout: `${words.filter((word) => word !== '').join('\n')}\n` }
  }
  return { processes, run: createJoinedRun(run) }
}

const outputs = (results: TmuxResult[]) =>
  results.map((result) => (result.ok ? result.stdout.trimEnd() : result.kind))

test('simultaneous requests to one server share a process, and each gets its own answer', async () => {
  const { processes, run } = createEcho()
  const asked = [[['one'], ['two']], [['']], [['three']]]
  const results = await Promise.all(asked.map((commands) => run(SOCKET, commands)))
  expect(outputs(results)).toEqual(['one\ntwo', '', 'three'])
  expect(processes).toHaveLength(1)
})

test('a request that is alone, later or for another server gets its own process', async () => {
  const { processes, run } = createEcho()
  await Promise.all([run(SOCKET, [['one']]), run(`${SOCKET}-other`, [['two']])])
  await run(SOCKET, [['three']])
  expect(processes).toEqual([[['one']], [['two']], [['three']]])
})

test('a failure affects only its own request, but a missing server affects all', async () => {
  const { processes, run } = createEcho()
  const some = await Promise.all([run(SOCKET, [['one']]), run(SOCKET, [['failed']])])
  expect(outputs(some)).toEqual(['one', 'failed'])
  expect(processes).toHaveLength(3)
  const none = await Promise.all([run(SOCKET, [['one']]), run(SOCKET, [['no-server']])])
  expect(outputs(none)).toEqual(['no-server', 'no-server'])
  expect(processes).toHaveLength(4)
})

test('no process gets more than tmux accepts', async () => {
  const { processes, run } = createEcho()
  const words = ['a', 'b', 'c', 'd'].map((one) => one.repeat(6_000))
  const results = await Promise.all(words.map((word) => run(SOCKET, [[word]])))
  expect(outputs(results)).toEqual(words)
  expect(processes).toHaveLength(2)
})
