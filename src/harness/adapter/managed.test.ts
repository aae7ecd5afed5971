import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TrailBossError } from '../../core/errors.ts'
import { claudeCode } from '../claude-code/adapter.ts'
import { codex } from '../codex/adapter.ts'
import { gemini } from '../gemini/adapter.ts'
import { opencode } from '../opencode/adapter.ts'
import { ADAPTERS } from '../registry.ts'
import type { LaunchRequest, ManagedHarness } from './managed.ts'

const ADAPTED = [claudeCode, codex, gemini, opencode]
const MANAGED = ADAPTED.map(({ harness, managed }) => [harness, managed as ManagedHarness] as const)
const SESSION = '01a1e397-bed3-7f61-a6ea-4ac4844e2b32'
const PROMPT = '[tb:k3f9x2m7q1] Say "hello"\nto $HOME'
const BRIDGE = {
  command: '/opt/trail boss/trailboss',
  args: ['bridge', '--stdio'],
  env: { TRAILBOSS_BRIDGE_TOKEN: 'secret-1' },
}

function wordsOf({ managed }: { managed?: ManagedHarness }, request: Partial<LaunchRequest>) {
  return managed?.launch({ args: ['--model', 'm'], ...request }).argv
}

test('no other harness runs in a pane of ours', () => {
  expect(ADAPTERS.filter(({ managed }) => managed)).toEqual(expect.arrayContaining(ADAPTED))
  expect(ADAPTERS.filter(({ managed }) => managed)).toHaveLength(ADAPTED.length)
})

describe('a launch', () => {
  test('begins with a prompt', () => {
    const request = { prompt: PROMPT }
    expect(wordsOf(claudeCode, request)).toEqual(['claude', '--model', 'm', '--', PROMPT])
    expect(wordsOf(codex, request)).toEqual([
      ...['codex', '--model', 'm', '--no-daemon', '-c', 'tui.animations=true', '--', PROMPT],
    ])
    expect(wordsOf(gemini, request)).toEqual([
      ...['gemini', '--model', 'm', `--prompt-interactive=${PROMPT}`],
    ])
    expect(wordsOf(opencode, request)).toEqual(['opencode', '--model', 'm', `--prompt=${PROMPT}`])
  })

  test('continues a session, with a prompt if the harness takes both', () => {
    const request = { resume: SESSION, prompt: PROMPT }
    expect(wordsOf(claudeCode, request)).toEqual([
      ...['claude', '--model', 'm', '--resume', SESSION, '--', PROMPT],
    ])
    expect(wordsOf(codex, request)).toEqual([
      ...['codex', 'resume', '--model', 'm', '--no-daemon', '-c', 'tui.animations=true'],
      ...['-a', 'on-request', '--', SESSION, PROMPT],
    ])
    expect(wordsOf(gemini, request)).toEqual([
      ...['gemini', '--model', 'm', '--resume', SESSION, `--prompt-interactive=${PROMPT}`],
    ])
    expect(wordsOf(opencode, request)).toEqual(['opencode', '--model', 'm', '--session', SESSION])
  })

  test('reports whether its prompt still has to be delivered', () => {
    for (const [harness, managed] of MANAGED) {
      const isPrompted = (request: Partial<LaunchRequest>) =>
        managed.launch({ args: [], ...request }).isPrompted
      expect(isPrompted({}), harness).toBe(true)
      expect(isPrompted({ prompt: PROMPT }), harness).toBe(true)
      expect(isPrompted({ resume: SESSION }), harness).toBe(true)
      expect(isPrompted({ resume: SESSION, prompt: PROMPT })).toBe(harness !== 'opencode')
    }
  })

  test('runs the program that the operator names', () => {
    for (const [, managed] of MANAGED) {
      expect(managed.launch({ binary: '/opt/x', args: [] }).argv[0]).toBe('/opt/x')
    }
  })

  test.each([['-a', 'never'], ['--ask-for-approval=never'], ['--approve-for-me']])(
    'of Codex lets the operator decide what a session asks about: %s',
    (...args) => {
      const { argv = [] } = codex.managed?.launch({ args, resume: SESSION }) ?? {}
      expect(argv).not.toContain('on-request')
    },
  )

  test('of Claude Code shows no suggestions in its composer', () => {
    const { env } = claudeCode.managed?.launch({ args: [] }) ?? {}
    expect(env).toEqual({ CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false' })
  })
})

describe('a session', () => {
  test.each(MANAGED)('that could be an option is refused: %s', (_, { launch }) => {
    for (const resume of ['', '--yolo', '-c', 'a b', 'a\nb', '../a', '$(x)', 'x'.repeat(200)]) {
      expect(() => launch({ args: [], resume }), resume).toThrow(TrailBossError)
    }
  })

  test('of every kind seen so far is accepted', () => {
    for (const resume of [SESSION, 'ses_e1c66efa3ffec0HY8WxKi64PzD']) {
      for (const [, { launch }] of MANAGED) {
        expect(launch({ args: [], resume }).argv).toContain(resume)
      }
    }
  })
})

describe('a channel', () => {
  const request = { session: SESSION, text: PROMPT }

  test('is the command of Codex, without its shared daemon', () => {
    expect(codex.managed?.channel?.({ binary: '/opt/bin/codex', ...request })).toEqual([
      ...['/opt/bin/codex', 'queue', '--disable', 'daemon_auto_start'],
      ...[`--thread=${SESSION}`, `--message=${PROMPT}`],
    ])
  })

  test.each(['/usr/bin/env', '/bin/sh', '/opt/codexes', '/opt/my-codex'])(
    'is not looked for in another program: %s',
    (binary) => {
      expect(codex.managed?.channel?.({ binary, ...request })).toBe(undefined)
    },
  )

  test('gets no session that could be an option', () => {
    const hostile = { binary: 'codex', session: '--yolo', text: PROMPT }
    expect(() => codex.managed?.channel?.(hostile)).toThrow(TrailBossError)
  })
})

describe('a prompt', () => {
  test.each(MANAGED)('is never taken for an option: %s', (_, { launch }) => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (prompt) => {
        const { argv } = launch({ args: [], prompt, bridge: BRIDGE })
        const word = argv.at(-1) ?? ''
        const isLast = word === prompt && argv.at(-2) === '--'
        expect(isLast || /^--prompt(?:-interactive)?=/.test(word)).toBe(true)
      }),
    )
  })
})

describe('the bridge', () => {
  const launched = ({ managed }: { managed?: ManagedHarness }) =>
    managed?.launch({ args: [], bridge: BRIDGE }) ?? { argv: [], env: {} as Record<string, string> }

  test.each(MANAGED)('has its token in the environment, and in no argv: %s', (_, { launch }) => {
    const { argv, env } = launch({ args: [], bridge: BRIDGE })
    expect(argv.join(' ')).not.toContain('secret-1')
    expect(env['TRAILBOSS_BRIDGE_TOKEN']).toBe('secret-1')
    expect(env['OPENCODE_CONFIG_CONTENT'] ?? '').not.toContain('secret-1')
  })

  test('is mounted in one launch of Claude Code', () => {
    const [config = '', allowed] = launched(claudeCode).argv.slice(1)
    expect(JSON.parse(config.replace('--mcp-config=', ''))).toEqual({
      mcpServers: {
        trailboss: {
          type: 'stdio',
          command: BRIDGE.command,
          args: BRIDGE.args,
          env: { TRAILBOSS_BRIDGE_TOKEN: `\${TRAILBOSS_BRIDGE_TOKEN}` },
        },
      },
    })
    expect(allowed).toBe('--allowedTools=mcp__trailboss')
  })

  test('is mounted in one launch of Codex', () => {
    const settings = launched(codex).argv.filter((word) => word.startsWith('mcp_servers.'))
    expect(settings).toEqual([
      'mcp_servers.trailboss.command="/opt/trail boss/trailboss"',
      'mcp_servers.trailboss.args=["bridge","--stdio"]',
      'mcp_servers.trailboss.env_vars=["TRAILBOSS_BRIDGE_TOKEN"]',
      'mcp_servers.trailboss.default_tools_approval_mode="approve"',
    ])
  })

  test('is mounted in one launch of opencode', () => {
    expect(JSON.parse(launched(opencode).env['OPENCODE_CONFIG_CONTENT'] ?? '')).toEqual({
      mcp: {
        trailboss: {
          type: 'local',
          command: [BRIDGE.command, ...BRIDGE.args],
          environment: { TRAILBOSS_BRIDGE_TOKEN: '{env:TRAILBOSS_BRIDGE_TOKEN}' },
          enabled: true,
        },
      },
    })
  })

  test('cannot be mounted in one launch of Gemini CLI', () => {
    expect(gemini.managed?.mountsBridge).toBe(false)
    expect(launched(gemini)).toMatchObject({ argv: ['gemini'], env: BRIDGE.env })
  })
})
