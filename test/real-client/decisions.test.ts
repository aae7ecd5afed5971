import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { QueueItem } from '../../src/contract/responses.ts'
import type { AuditView } from '../../src/contract/supervisor.ts'
import { waitFor } from '../support/wait-for.ts'
import { type ClaudeCommand, claudeIn } from './support/claude-command.ts'
import { bash, edit, read, say } from './support/model/reply.ts'
import type { RealWorld } from './support/real-world.ts'
import { realTest } from './support/tests/real-test.ts'

const test = realTest()

/** 100 by hand; a few on every push. */
const ROUNDS = Number(process.env['TRAILBOSS_ROUNDS'] ?? 5)

type Round = { prompt: string; file: string; ended: Promise<Ended> }
type Ended = { code: number | null; output: string }
type Asked = QueueItem & { about: { id: string } }

describe('claude -p with our permission tool', () => {
  test('each of its permissions is answered once, by the operator alone, whatever happens to the daemon', async ({
    real,
  }) => {
    await using command = claudeIn(real)
    const kinds = [allowed, denied, edited, unanswered, allowedAfterKill]
    for (let number = 0; number < ROUNDS; number++) {
      const kind = kinds[number % kinds.length]!
      await kind(real, await started(real, command, number, kind === unanswered ? ['2s'] : []))
    }
    const lines = await auditLines(real)
    const count = (kind: string) => lines.filter((line) => line.kind === kind).length
    const unansweredRounds = Math.floor((ROUNDS + 1) / 5)
    expect(count('decision_asked')).toBe(ROUNDS)
    expect(count('decision_answered')).toBe(ROUNDS - unansweredRounds)
    expect(count('decision_withdrawn')).toBe(unansweredRounds)
    for (const line of lines.filter(({ kind }) => kind === 'decision_answered')) {
      expect(line.actor).toMatch(/^operator:/)
    }
    expect(await real.world.queue()).toEqual([])
  })

  test('a change to a file is shown as a diff, in a window that Next opens and y closes', async ({
    real,
  }) => {
    await using command = claudeIn(real)
    const { world } = real
    const file = join(command.cwd, 'fence.txt')
    writeFileSync(file, 'post\nold rail\npost\n')
    const steps = [read(file), edit(file, 'post\nold rail\n', 'post\nnew rail\n'), say('Fixed.')]
    const { ended } = await startedWith(real, command, 'Fix the fence', steps)
    const windows = await windowsOf(real)
    await asked(real)
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToSee(/- old rail\n.*\+ new rail/)
    await world.operator.waitToSee(/y allow/)
    await world.operator.press('y')
    expect(await ended).toMatchObject({ code: 0 })
    expect(readFileSync(file, 'utf8')).toBe('post\nnew rail\npost\n')
    await waitFor(() => windowsOf(real), {
      what: 'the window to be closed',
      until: (now) => now === windows,
    })
  })

  test('one that is given no way to ask stays out of the queue', async ({ real }) => {
    await using command = claudeIn(real)
    real.model.plan('Alone', bash('touch alone'), say('Could not.'))
    const alone = command.startClaude('-p', 'Alone', '--output-format', 'json', ...MANUAL)
    const { output } = await endOf(alone)
    expect(JSON.parse(output).permission_denials).toHaveLength(1)
    expect(await real.world.queue()).toEqual([])
  })
})

const MANUAL = ['--permission-mode', 'manual']

async function started(
  real: RealWorld,
  command: ClaudeCommand,
  number: number,
  timeout: string[],
): Promise<Round> {
  const name = `ran-${number}.txt`
  const prompt = `Round ${number}.`
  const steps = [bash(`echo once >> ${name}`), say('Over.')]
  const { ended } = await startedWith(real, command, prompt, steps, timeout)
  return { prompt, file: join(command.cwd, name), ended }
}

async function startedWith(
  { world, model }: RealWorld,
  { startClaude }: ClaudeCommand,
  prompt: string,
  steps: Parameters<typeof model.plan>[1][],
  timeout: string[] = [],
): Promise<{ ended: Promise<Ended> }> {
  model.plan(prompt, ...steps)
  const limit = timeout.flatMap((time) => ['--timeout', time])
  const config = (await world.trailboss('decide', '--mcp-config', ...limit)).stdout.trim()
  const tool = ['--mcp-config', config, '--permission-prompt-tool', 'mcp__trailboss__decide']
  const child = startClaude('-p', prompt, '--output-format', 'json', ...MANUAL, ...tool)
  return { ended: endOf(child) }
}

async function allowed(real: RealWorld, { file, ended }: Round): Promise<void> {
  const item = await asked(real)
  expect(item).toMatchObject({ reason: 'permission', label: 'permission', pane: null })
  expect(item.ask.text).toContain('command: echo once >> ')
  await answered(real, item, 'allow')
  expect(await ended).toMatchObject({ code: 0 })
  expect(readFileSync(file, 'utf8')).toBe('once\n')
}

async function denied(real: RealWorld, { prompt, file, ended }: Round): Promise<void> {
  await answered(real, await asked(real), 'deny', '--message', 'Not on a Friday.')
  const { output } = await ended
  expect(JSON.parse(output).permission_denials).toHaveLength(1)
  expect(existsSync(file)).toBe(false)
  expect(resultsOf(real, prompt)).toContain('Not on a Friday.')
}

async function edited(real: RealWorld, { file, ended }: Round): Promise<void> {
  const input = join(real.world.dir, 'input.json')
  writeFileSync(input, JSON.stringify({ command: `echo changed >> ${file}` }))
  await answered(real, await asked(real), 'allow', '--input', input)
  expect(await ended).toMatchObject({ code: 0 })
  expect(readFileSync(file, 'utf8')).toBe('changed\n')
}

async function unanswered(real: RealWorld, { prompt, file, ended }: Round): Promise<void> {
  await asked(real)
  await ended
  expect(existsSync(file)).toBe(false)
  expect(resultsOf(real, prompt)).toContain('Nobody answered in time.')
  expect(await real.world.queue()).toEqual([])
}

async function allowedAfterKill(real: RealWorld, round: Round): Promise<void> {
  const { id } = (await asked(real)).about
  await real.world.killDaemon9()
  await real.world.up()
  expect((await asked(real)).about.id).toBe(id)
  await waitFor(() => real.world.json<{ waiting: boolean }>('decide', id), {
    what: 'the asker to be back',
    until: ({ waiting }) => waiting,
  })
  await allowed(real, round)
}

async function asked({ world }: RealWorld): Promise<Asked> {
  const items = await world.waitForQueue('a decision to be listed', (all) => all.length === 1)
  return items[0] as Asked
}

async function answered({ world }: RealWorld, item: Asked, ...answer: string[]): Promise<void> {
  expect(await world.trailboss('decide', item.about.id, ...answer)).toMatchObject({ code: 0 })
}

function resultsOf({ model }: RealWorld, prompt: string): string {
  return model
    .requestsFor(prompt)
    .flatMap(({ results }) => results)
    .join('\n')
}

async function auditLines({ world }: RealWorld): Promise<AuditView['lines']> {
  return (await world.json<AuditView>('audit', '--limit', '1000')).lines
}

function endOf(child: ChildProcess): Promise<Ended> {
  let output = ''
  child.stdout?.on('data', (data: Buffer) => {
    output += data.toString()
  })
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ code, output }))
  })
}

function windowsOf({ world }: RealWorld): Promise<string> {
  return world.tmux.run('list-windows', '-a', '-F', '#{window_id}')
}
