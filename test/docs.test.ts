import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { programWith } from '../src/cli/program.ts'
import { loadConfig } from '../src/config/config.ts'
import { AgentEventSchema, parseAgentEvent } from '../src/contract/agent-event.ts'
import { HookEnvelope } from '../src/contract/envelope.ts'
import { SCREEN_RULE_FIELDS } from '../src/contract/screen-rules.ts'
import { catalogue } from '../src/core/errors.ts'
import { decisionRoutes } from '../src/daemon/decisions/decision-routes.ts'
import { drainRoutes } from '../src/daemon/drain/drain-routes.ts'
import { type AppParts, createApp } from '../src/daemon/http/app.ts'
import { noticeRoutes } from '../src/daemon/notice/notice-routes.ts'
import { HOOK_EVENTS as CODEX_EVENTS } from '../src/harness/codex/wiring/hook-events.ts'
import { parseOwnScreenRules } from '../src/harness/own-screen-rules.ts'
import { ADAPTERS, wiredAdapters } from '../src/harness/registry.ts'
import { auditRoutes } from '../src/supervisor/audit/audit-routes.ts'
import { bridgeRoutes } from '../src/supervisor/bridge-routes.ts'
import { dispatchRoutes } from '../src/supervisor/dispatch-routes.ts'
import { replyRoutes } from '../src/supervisor/reply/reply-routes.ts'
import { supervisorRoutes } from '../src/supervisor/routes.ts'
import { workspaceRoutes } from '../src/supervisor/workspace-routes.ts'
import { CONF_OPTIONS } from '../src/tmux/conf/keys.ts'
import { projectionCommands } from '../src/tmux/projection.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const filesIn = (dir: string): string[] =>
  readdirSync(join(root, dir), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))

const http = read('docs/http.md')
const events = read('docs/events.md')
const cli = read('docs/cli.md')
const configuration = read('docs/configuration.md')
const harnesses = read('docs/harnesses.md')
const errors = read('docs/errors.md')
const documents = [...readdirSync(root), ...filesIn('docs')].filter((file) => file.endsWith('.md'))

/** Comments, and texts of more than one word. */
const SENTENCES = /\/\/.*|\/\*[\s\S]*?\*\/|'[^'\n]* [^'\n]*'|"[^"\n]* [^"\n]*"|`[^`\n]* [^`\n]*`/g

describe('docs/errors.md', () => {
  test('lists every error code with its status and its exit code, and no other', () => {
    const rows = section(errors, 'Error codes').matchAll(
      /^\| `([A-Z_]+)` \| (\d+) \| (\d+) \| \S/gm,
    )
    const listed = [...rows].map(([, code, status, exit]) => [
      code,
      { status: Number(status), exit: Number(exit) },
    ])
    expect(Object.fromEntries(listed)).toEqual(catalogue)
  })

  test('says what every exit code means', () => {
    const ofTheLauncher = 127
    const exits = new Set([0, ...Object.values(catalogue).map(({ exit }) => exit), ofTheLauncher])
    const rows = section(errors, 'Exit codes').matchAll(/^\| (\d+) \| \S/gm)
    expect([...rows].map(([, exit]) => Number(exit))).toEqual([...exits].toSorted((a, b) => a - b))
  })
})

describe('docs/configuration.md', () => {
  test('shows every setting with its default, in a file that can be loaded', () => {
    const text = section(configuration, 'config.json')
    const defaults = loadConfig('/nonexistent', { TRAILBOSS_TMUX_SOCKET: '/tmp/tmux-1000/default' })
    expect(JSON.parse(jsonBlocks(text)[0] ?? '')).toEqual(defaults)
    expect(firstColumn(text)).toEqual(Object.keys(defaults))
  })

  test('lists every environment variable of ours', () => {
    const sources = ['bin', 'src', 'scripts'].flatMap(filesIn).filter((file) => !isTest(file))
    const used = sources.flatMap((file) => read(file).match(/\bTRAILBOSS_[A-Z_]+\b/g) ?? [])
    // A constant that the build sets, not a variable.
    const variables = new Set(used.filter((name) => name !== 'TRAILBOSS_VERSION'))
    const listed = firstColumn(section(configuration, 'Environment')).flatMap((cell) =>
      cell.split(', '),
    )
    expect(listed.filter((name) => name.startsWith('TRAILBOSS_')).toSorted()).toEqual(
      [...variables].toSorted(),
    )
  })

  test('names every user option that is set in tmux', () => {
    const projected = projectionCommands({
      head: '',
      elsewhere: false,
      nopane: false,
      count: 0,
      cooling: 0,
      beat: 0,
    })
      .flat()
      .filter((word) => word.startsWith('@'))
    const text = section(configuration, 'tmux user options')
    const unnamed = [...projected, ...CONF_OPTIONS].filter((name) => !text.includes(`\`${name}\``))
    expect(unnamed).toEqual([])
    expect(firstColumn(text)).toEqual(expect.arrayContaining(projected))
  })
})

describe('docs/http.md', () => {
  test('has a heading for every route, and no other', () => {
    const unused = () => {
      throw new Error('no route is asked')
    }
    const more = [
      decisionRoutes({} as Parameters<typeof decisionRoutes>[0]),
      noticeRoutes(
        {} as Parameters<typeof noticeRoutes>[0],
        {} as Parameters<typeof noticeRoutes>[1],
      ),
      drainRoutes({} as Parameters<typeof drainRoutes>[0]),
      auditRoutes({} as Parameters<typeof auditRoutes>[0]),
      workspaceRoutes(unused),
      replyRoutes(undefined),
      supervisorRoutes(unused),
      dispatchRoutes(unused),
      bridgeRoutes(unused),
    ]
    const app = createApp({ more } as unknown as AppParts, { kind: 'unix' })
    const served = app.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method} ${path}`)
    const headings = [...http.matchAll(/^### `([A-Z]+ \/\S*)`$/gm)].map(([, route]) => route)
    expect(headings.toSorted()).toEqual([...new Set(served)].toSorted())
  })
})

describe('docs/cli.md', () => {
  test('lists every command of the program with its options', async () => {
    const everyone = commandsIn(await programWith())
    const text = section(cli, 'Commands')
    const names = everyone.flatMap(({ names }) => names)
    expect(names).toEqual(expect.arrayContaining(['jump-next', 'next', 'thread open']))
    // Commands that are alike share a line: `trailboss runtime start`, `… stop`.
    const isListed = (name: string) => {
      const [parent, last] = name.split(' ')
      return (
        text.includes(`\`trailboss ${name}`) ||
        new RegExp(`^\\| \`trailboss ${parent}\\b[^|]*\`… ${last}\``, 'm').test(text)
      )
    }
    expect(names.filter((name) => !isListed(name))).toEqual([])
    const flags = everyone.flatMap(({ flags }) => flags)
    expect(flags).toContain('--json')
    expect(flags.filter((flag) => !text.includes(flag))).toEqual([])
  })
})

describe('docs/events.md', () => {
  test('describes every field of the event and of the envelope', () => {
    expect(firstColumn(section(events, 'The event')).slice(0, fieldsOf(AgentEventSchema).length))
      // In the order of the schema.
      .toEqual(fieldsOf(AgentEventSchema))
    const envelope = firstColumn(section(events, 'The hook envelope'))
    expect(envelope.flatMap((cell) => cell.split(', ')).toSorted()).toEqual(
      fieldsOf(HookEnvelope).toSorted(),
    )
  })

  test('shows events and an envelope that the daemon would take', () => {
    const shown = jsonBlocks(section(events, 'The event')).flatMap((text) => text.split('\n'))
    expect(shown.length).toBeGreaterThan(1)
    for (const event of shown) expect(parseAgentEvent(JSON.parse(event))).toHaveProperty('event')
    const [envelope = ''] = jsonBlocks(section(events, 'The hook envelope'))
    expect(v.safeParse(HookEnvelope, JSON.parse(envelope)).issues).toBeUndefined()
  })
})

describe('docs/harnesses.md', () => {
  test('lists every harness of the registry, with what is wired and what can be run', () => {
    const rows = section(harnesses, 'Supported harnesses').matchAll(
      /^\| `(.+?)` \| (.+?) \| (.+?) \| .+? \| (.+?) \|$/gm,
    )
    const listed = [...rows].map(([, name, title, wiring, runs]) => ({
      name,
      title,
      isWired: wiring !== 'nothing',
      isManaged: runs === 'yes',
    }))
    expect(listed).toEqual(
      ADAPTERS.map(({ harness, title, wiring, managed }) => ({
        name: harness,
        title,
        isWired: wiring !== undefined,
        isManaged: managed !== undefined,
      })),
    )
  })

  test.each(wiredAdapters())('says what each signal of $title claims', ({ harness, title }) => {
    const hook = read(`src/harness/${harness}/hook.ts`)
    const understood = [...hook.matchAll(/^ {4}case '([\w.]+)':/gm)].map(([, name]) => name)
    expect(understood).not.toEqual([])
    const claimed = firstColumn(section(harnesses, title)).flatMap((cell) => cell.split(', '))
    expect(claimed.toSorted()).toEqual(understood.toSorted())
  })

  test('wires exactly the hooks of Claude Code that it describes', () => {
    const text = section(harnesses, 'Claude Code')
    const { hooks } = JSON.parse(jsonBlocks(text)[0] ?? '') as { hooks: Record<string, unknown> }
    const described = firstColumn(text).flatMap((cell) => cell.split(', '))
    expect(Object.keys(hooks).toSorted()).toEqual(described.toSorted())
    const command = '/opt/trailboss/bin/trailboss-emit claude-code'
    for (const wired of Object.values(hooks)) {
      expect(wired).toEqual([{ hooks: [{ type: 'command', async: true, timeout: 5, command }] }])
    }
  })

  test('describes exactly the hooks of Codex that are wired', () => {
    expect(firstColumn(section(harnesses, 'Codex')).toSorted()).toEqual(
      [...CODEX_EVENTS].toSorted(),
    )
  })
})

describe('docs/screen-rules.md', () => {
  const text = read('docs/screen-rules.md')

  test('shows a file of rules of which every one is taken', () => {
    const { rules, problems } = parseOwnScreenRules('f', jsonBlocks(text)[0] ?? '')
    expect(problems).toEqual([])
    expect(rules.get('generic')).toHaveLength(2)
  })

  test('describes every field of a rule, of its ask and of its region', () => {
    const { rule, ask, step } = SCREEN_RULE_FIELDS
    expect(firstColumn(section(text, 'Fields'))).toEqual([...rule, ...ask])
    const region = section(text, 'Where a rule looks')
    expect(step.filter((name) => !region.includes(`{"${name}": `))).toEqual([])
  })
})

describe('docs/architecture.md', () => {
  test('has the table of imports that the architecture test enforces', () => {
    const rules = /MAY_IMPORT[^{]*\{\n([\s\S]*?)\n\}/.exec(read('test/architecture.test.ts'))?.[1]
    const enforced = [...(rules ?? '').matchAll(/^ {2}(\w+): \[(.*)\],$/gm)].map(
      ([, layer = '', allowed = '']) => [layer, allowed.match(/\w+/g) ?? []],
    )
    const table = section(read('docs/architecture.md'), 'Layers')
    const rows = [...table.matchAll(/^\| `(\w+)` \| (.*?) \|/gm)].map(
      ([, layer = '', allowed = '']) => [
        layer,
        [...allowed.matchAll(/`(\w+)`/g)].map(([, name]) => name),
      ],
    )
    expect(enforced.length).toBeGreaterThan(5)
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(enforced))
  })
})

describe('CONTEXT.md', () => {
  const [words = '', neverWritten = ''] = read('CONTEXT.md').split('\n## What we never write\n')
  const never = firstColumn(neverWritten).flatMap((cell) => cell.split(', '))
  const sources = filesIn('src').filter((file) => file.endsWith('.ts') && !isTest(file))

  test('has few words, all of which the code uses', () => {
    const terms = words.match(/(?<=^(?:\*\*.+\*\*, )?\*\*)[^*]+(?=\*\*(?:, |: ))/gm) ?? []
    expect(terms).toContain('Client')
    expect(terms.length).toBeLessThanOrEqual(60)
    const code = sources.map(read).join('\n')
    const unused = terms.filter(
      (term) => !new RegExp(term.replaceAll(' ', '[ -]?'), 'i').test(code),
    )
    expect(unused).toEqual([])
  })

  const plain = ['package.json', 'trailboss.tmux', 'test/real-client/README.md']
  const written = documents.filter((file) => !/CHANGELOG|CONTEXT/.test(file))
  test.each([...written, ...plain, ...filesIn('bin'), ...filesIn('scripts')])(
    '%s has nothing in it that we never write',
    (file) => {
      const text = withoutCode(read(file)).replace(/`[^`\n]*`/g, '``')
      expect(never.filter((phrase) => wholeWords(phrase).test(text))).toEqual([])
    },
  )

  test('messages and comments have nothing in them that we never write', () => {
    const found = sources.flatMap((file) => {
      const sentences = read(file).match(SENTENCES)?.join('\n') ?? ''
      return never.flatMap((phrase) =>
        (sentences.match(wholeWords(phrase, 'g')) ?? []).map(() => `${file}: ${phrase}`),
      )
    })
    expect(found).toEqual([])
  })
})

describe('every document', () => {
  test.each(documents)('%s has examples that are JSON', (file) => {
    for (const text of jsonBlocks(read(file))) {
      const whole = text.startsWith('{\n') || !text.includes('\n{')
      for (const value of whole ? [text] : text.split('\n')) {
        expect(() => JSON.parse(value), value).not.toThrow()
      }
    }
  })

  test.each(documents)('%s links to what is there', (file) => {
    const links = [...withoutCode(read(file)).matchAll(/\]\(([^)\s]+)\)/g)].map(
      ([, link = '']) => link,
    )
    const broken = links.filter((link) => !/^[a-z]+:/.test(link) && !resolves(file, link))
    expect(broken).toEqual([])
  })

  test.each(documents.filter((file) => file !== 'CHANGELOG.md'))(
    '%s names files and folders that are there',
    (file) => {
      const paths = read(file).match(/(?<=`)(?:bin|src|test|bench|scripts|docs)\/[\w./-]+(?=`)/g)
      expect((paths ?? []).filter((path) => !existsSync(join(root, path)))).toEqual([])
    },
  )
})

test('no message names a document by its path, which is not there where Trail Boss is installed', () => {
  const named = filesIn('src')
    .filter((file) => file.endsWith('.ts') && !isTest(file) && !file.startsWith('src/demo/'))
    .filter((file) =>
      read(file)
        .replace(/^\s*(\/\/|\/?\*).*$/gm, '')
        .includes('docs/'),
    )
  expect(named).toEqual([])
})

test('what npm start says fits into a terminal of 80 columns', () => {
  const script = read('scripts/start.sh')
  const [, next = ''] = /<<'NEXT'\n(.*)^NEXT$/ms.exec(script) ?? []
  const echoed = [...script.matchAll(/^ *echo "(.*?)"/gm)].map(([, text = '']) => text)
  const said = [...next.split('\n'), ...echoed]
  expect(said).toContain('What next:')
  expect(said.filter((line) => line.length > 80)).toEqual([])
})

function wholeWords(phrase: string, flags = ''): RegExp {
  return new RegExp(`\\b${phrase.replaceAll(' ', '\\s+(?:\\* |// )?')}\\b`, `i${flags}`)
}

/** What stands under a heading of the second level, up to the next one. */
function section(text: string, title: string): string {
  const start = text.indexOf(`\n## ${title}\n`)
  if (start === -1) throw new Error(`There is no section "${title}".`)
  const body = text.slice(start + title.length + 5)
  const end = body.search(/^## /m)
  return end === -1 ? body : body.slice(0, end)
}

function jsonBlocks(text: string): string[] {
  return [...text.matchAll(/^```json\n([\s\S]*?)\n```$/gm)].map(([, json = '']) => json)
}

/** The names in backticks that begin a table's rows; several in one cell stay together. */
function firstColumn(text: string): string[] {
  return [...text.matchAll(/^\| (`[^|]*`) \|/gm)].map(([, cell = '']) => cell.replaceAll('`', ''))
}

function fieldsOf(schema: { entries: Record<string, unknown> }): string[] {
  return Object.keys(schema.entries)
}

function isTest(file: string): boolean {
  return file.endsWith('.test.ts')
}

function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '')
}

function resolves(from: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? join(root, from) : resolve(root, dirname(from), path)
  if (!existsSync(target)) return false
  return anchor === undefined || anchorsOf(readFileSync(target, 'utf8')).includes(anchor)
}

/** As GitHub makes them from headings. */
function anchorsOf(text: string): string[] {
  return [...withoutCode(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** Every command below this one, with its aliases and flags. */
function commandsIn(parent: Command, before = ''): { names: string[]; flags: string[] }[] {
  return parent.commands.flatMap((command) => [
    {
      names: [command.name(), ...command.aliases()].map((name) => `${before}${name}`),
      flags: command.options.map(({ long }) => long ?? ''),
    },
    ...commandsIn(command, `${before}${command.name()} `),
  ])
}
