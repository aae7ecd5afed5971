import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test as base, describe, expect } from 'vitest'
import { processesWith } from '../support/processes.ts'
import { waitFor } from '../support/wait-for.ts'
import { EmitterHome, type Outcome } from './emitter-home.ts'
import { startHookCollector } from './hook-collector.ts'

const SILENT_SUCCESS: Outcome = { code: 0, signal: null, stdout: '', stderr: '' }

const test = base.extend<{ emitter: EmitterHome }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads a fixture's needs from its pattern
  emitter: async ({}, use) => {
    using emitter = new EmitterHome()
    await use(emitter)
  },
})

const markOf = ({ home }: EmitterHome): string => join(home, 'daemon-hung')
const inSeconds = (seconds: number): string => `${Math.floor(Date.now() / 1_000) + seconds}\n`

async function emit(
  emitter: EmitterHome,
  shell: readonly string[],
  PATH = emitter.patientPath(),
): Promise<void> {
  const run = emitter.run({ shell, stdin: '{"session_id":"a"}', env: { PATH } })
  expect(await run).toEqual(SILENT_SUCCESS)
  await waitFor(() => processesWith('TRAILBOSS_HOME', emitter.home), {
    what: 'no process to be left',
    until: (left) => left.length === 0,
  })
}

describe.for([['dash'], ['bash', '--posix']] as const)('in %s', (shell) => {
  test('an emitter that got no answer leaves a mark, and the next one does not ask', async ({
    emitter,
  }) => {
    await using collector = await startHookCollector(emitter.socket, 'never')
    await emit(emitter, shell, process.env['PATH'])
    expect(collector.received).toHaveLength(1)
    const left = Number(readFileSync(markOf(emitter), 'utf8')) - Date.now() / 1_000
    expect(left).toBeLessThanOrEqual(5)

    writeFileSync(markOf(emitter), inSeconds(5))
    await emit(emitter, shell)
    expect(collector.received).toHaveLength(1)
    expect(emitter.spooled().files).toHaveLength(2)
  })

  test.for<[string, () => string]>([
    ['that is over', () => inSeconds(-1)],
    ['of a clock that was set back since', () => inSeconds(60)],
    ['that is empty', () => ''],
    ['that makes no sense', () => '$(touch x) 9999999999\n'],
  ])(
    'a mark %s does not count, and goes when the daemon answers',
    async ([, mark], { emitter }) => {
      await using collector = await startHookCollector(emitter.socket)
      writeFileSync(markOf(emitter), mark())
      await emit(emitter, shell)
      expect(collector.received).toHaveLength(1)
      expect(emitter.spooled()).toEqual({ files: [], temporary: [] })
      expect(existsSync(markOf(emitter))).toBe(false)
    },
  )

  test.for([503, 'nobody'] as const)(
    'an answer of %s leaves no mark',
    async (answer, { emitter }) => {
      const socket = answer === 'nobody' ? join(emitter.root, 'elsewhere') : emitter.socket
      await using _ = await startHookCollector(socket, answer === 'nobody' ? 204 : answer)
      await emit(emitter, shell)
      expect(emitter.spooled().files).toHaveLength(1)
      expect(existsSync(markOf(emitter))).toBe(false)
    },
  )
})
