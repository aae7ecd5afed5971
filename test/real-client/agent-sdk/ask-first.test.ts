import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test as base, expect } from 'vitest'
import type { DecisionsView, DecisionView } from '../../../src/contract/decision.ts'
import { command } from '../../support/command.ts'
import { createWorld, type World } from '../../support/create-world.ts'
import { waitFor } from '../../support/wait-for.ts'
import { FAKE_KEY, writeClaudeHome } from '../support/agents/claude-home.ts'
import { AGENT_SDK, cachedClient } from '../support/client.ts'
import { type ModelServer, startModelServer } from '../support/model/model-server.ts'
import { bash, say } from '../support/model/reply.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const EXAMPLE = join(ROOT, 'examples', 'agent-sdk', 'ask-first.mjs')

type Scene = {
  world: World
  model: ModelServer
  /** Where the example is installed, and its agent works. */
  cwd: string
  env: NodeJS.ProcessEnv
  /** The example from the beginning to the end, and what it printed. */
  run(prompt: string): Running
  pending(): Promise<DecisionView[]>
}
type Running = { child: ChildProcess; output: Promise<string> }

const test = base.extend<{ scene: Scene }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the fixtures off the pattern.
  scene: async ({}, use) => {
    await using model = await startModelServer()
    await using world = await createWorld()
    const cwd = join(world.dir, 'projects', 'sdk')
    installExample(cwd)
    writeClaudeHome(world.home, join(world.dir, 'projects'))
    const env = environment(world, model)
    const children: ChildProcess[] = []
    const run = (prompt: string): Running => {
      const child = spawn(process.execPath, ['ask-first.mjs', prompt], { cwd, env })
      children.push(child)
      return { child, output: outputOf(child) }
    }
    const pending = async () => {
      const { decisions } = await world.json<DecisionsView>('decide')
      return decisions.filter(({ state }) => state === 'pending')
    }
    await use({ world, model, cwd, env, run, pending })
    for (const child of children) child.kill('SIGKILL')
  },
})

test('the tool runs with the input that the operator changed', async ({ scene }) => {
  const { world, model, cwd, run, pending } = scene
  model.plan('Make a file', bash('touch asked'), say('Made it.'))
  const { output } = run('Make a file')
  const asked = await one(pending)
  expect(asked).toMatchObject({ asker: { name: 'ask-first', cwd }, tool: 'Bash', waiting: true })
  const whole = await world.json<DecisionView>('decide', asked.id)
  expect(whole.input).toMatchObject({ command: 'touch asked' })
  expect(await world.queue()).toMatchObject([{ program: 'ask-first', reason: 'permission' }])
  const file = join(world.dir, 'changed.json')
  writeFileSync(file, JSON.stringify({ ...(asked.input as object), command: 'touch changed' }))
  const decided = await world.trailboss('decide', asked.id, 'allow', '--input', file)
  expect(decided).toMatchObject({ code: 0 })
  expect(await output).toBe('Made it.\n')
  expect([existsSync(join(cwd, 'changed')), existsSync(join(cwd, 'asked'))]).toEqual([true, false])
})

test('an unchanged input runs as it was asked', async ({ scene }) => {
  const { world, model, cwd, run, pending } = scene
  model.plan('Make a file', bash('touch asked'), say('Made it.'))
  const { output } = run('Make a file')
  await world.trailboss('decide', (await one(pending)).id, 'allow')
  expect(await output).toBe('Made it.\n')
  expect(existsSync(join(cwd, 'asked'))).toBe(true)
})

test('a denial reaches the model with its message', async ({ scene }) => {
  const { world, model, cwd, run, pending } = scene
  model.plan('Make a file', bash('touch asked'), say('So be it.'))
  const { output } = run('Make a file')
  const { id } = await one(pending)
  await world.trailboss('decide', id, 'deny', '--message', 'Not on a Sunday.')
  expect(await output).toBe('So be it.\n')
  expect(resultsIn(model)).toContain('Not on a Sunday.')
  expect(existsSync(join(cwd, 'asked'))).toBe(false)
})

test('without a daemon nothing runs, and the model is told why', async ({ scene }) => {
  const { world, model, cwd, run } = scene
  expect(await world.trailboss('down')).toMatchObject({ code: 0 })
  model.plan('Make a file', bash('touch asked'), say('Nobody is there.'))
  expect(await run('Make a file').output).toBe('Nobody is there.\n')
  expect(resultsIn(model)).toContain('The daemon is not running.')
  expect(existsSync(join(cwd, 'asked'))).toBe(false)
})

test('a program that ends takes its question along', async ({ scene }) => {
  const { model, run, pending } = scene
  model.plan('Make a file', bash('touch asked'), say('Made it.'))
  const { child } = run('Make a file')
  await one(pending)
  child.kill('SIGTERM')
  await waitFor(pending, { what: 'the question to be gone', until: (all) => all.length === 0 })
})

test('the SDK takes it for its own type', async ({ scene: { cwd, env } }) => {
  const declarations = readFileSync(join(ROOT, 'dist', 'agent-sdk.d.mts'), 'utf8')
  expect(declarations).not.toMatch(/\bimport\b|\bfrom '/)
  writeFileSync(join(cwd, 'types.mts'), TYPES)
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  // The SDK's own types name packages that are not there.
  const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck']
  const language = ['--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024,dom']
  const args = [tsc, '--ignoreConfig', ...options, ...language, '--types', '', 'types.mts']
  const checked = await command(process.execPath, args, { env, cwd, timeoutMs: 60_000 })
  expect(checked).toMatchObject({ code: 0, stdout: '' })
})

const TYPES = `
import { type CanUseTool, type Options, type PermissionResult, query } from '@anthropic-ai/claude-agent-sdk'
import { canUseTool, createCanUseTool } from 'trailboss/agent-sdk'

declare const own: CanUseTool
const fits: CanUseTool = canUseTool
const result: Promise<PermissionResult> = canUseTool('Bash', {}, { signal: new AbortController().signal })
const options: Options[] = [
  { canUseTool },
  { canUseTool: createCanUseTool() },
  { canUseTool: createCanUseTool({ name: 'x', timeoutMs: 1 }) },
  { canUseTool: createCanUseTool({ otherwise: own }) },
  {
    canUseTool: createCanUseTool({
      otherwise: (toolName, input, { toolUseID }, { why, message }) =>
        toolName === why ? { behavior: 'allow', updatedInput: input, toolUseID } : { behavior: 'deny', message },
    }),
  },
  { canUseTool: createCanUseTool({ otherwise: async () => ({ behavior: 'deny', message: 'no', interrupt: true }) }) },
]
query({ prompt: '', options: { canUseTool } })
// @ts-expect-error: neither allows nor denies
const wrong: CanUseTool = async () => ({ behavior: 'perhaps' })
// @ts-expect-error: the same
createCanUseTool({ otherwise: () => ({ behavior: 'perhaps' }) })
// @ts-expect-error: it is no text
const text: string = canUseTool('Bash', {}, { signal: new AbortController().signal })
export { fits, options, result, text, wrong }
`

/** As npm does it for a path: with links. */
function installExample(cwd: string): void {
  const modules = join(cwd, 'node_modules')
  mkdirSync(join(modules, '@anthropic-ai'), { recursive: true })
  symlinkSync(dirname(cachedClient(AGENT_SDK).binary), join(modules, AGENT_SDK.package))
  symlinkSync(ROOT, join(modules, 'trailboss'))
  copyFileSync(EXAMPLE, join(cwd, 'ask-first.mjs'))
}

function environment(world: World, model: ModelServer): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG, SHELL, TRAILBOSS_HOME, TRAILBOSS_PORT } = world.env
  const tmp = join(world.dir, 'tmp')
  mkdirSync(tmp)
  return {
    ...{ PATH, HOME, LANG, SHELL, TRAILBOSS_HOME, TRAILBOSS_PORT, TMPDIR: tmp },
    CLAUDE_EXECUTABLE: cachedClient().binary,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: FAKE_KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
  }
}

async function outputOf(child: ChildProcess): Promise<string> {
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  await once(child, 'close')
  return said
}

async function one(pending: () => Promise<DecisionView[]>): Promise<DecisionView> {
  const [first] = await waitFor(pending, {
    what: 'the question to be there',
    until: (all) => all.length === 1,
    timeoutMs: 60_000,
  })
  return first!
}

function resultsIn(model: ModelServer): string {
  return model.log.flatMap(({ results }) => results).join('\n')
}
