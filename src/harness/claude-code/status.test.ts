import { describe, expect, test } from 'vitest'
import { statusSource } from './status.ts'

const FILE = '/home/op/.claude/sessions/12272.json'
const CONTENT = {
  pid: 12272,
  sessionId: '4cc0b1c2-0000-4000-8000-000000000001',
  cwd: '/home/op/my proj',
  startedAt: 1_794_773_225_151,
  procStart: '53660',
  version: '2.1.325',
  kind: 'interactive',
  entrypoint: 'cli',
  tmux: 's2:@0.%0',
  status: 'busy',
  updatedAt: 1_794_773_267_900,
  statusUpdatedAt: 1_794_773_267_757,
}

const read = (more: object) => statusSource.read(JSON.stringify({ ...CONTENT, ...more }), FILE)

function stateOf(more: object) {
  const reading = read(more)
  return reading.ok ? reading.events.at(-1) : undefined
}

describe('what a status claims', () => {
  test.each([
    [{ status: 'busy' }, { kind: 'unstuck', detail: 'busy' }],
    [{ status: 'idle' }, { kind: 'stuck', reason: 'stopped', detail: 'idle' }],
    [
      { status: 'shell' },
      { kind: 'stuck', reason: 'stopped', note: 'a background shell is still running' },
    ],
    [
      { status: 'waiting', waitingFor: 'permission prompt' },
      { kind: 'stuck', reason: 'permission', detail: 'waiting: permission prompt' },
    ],
    [
      { status: 'waiting', waitingFor: 'dialog open' },
      { kind: 'stuck', reason: 'permission', ask: { text: 'A dialog is open.' } },
    ],
    [
      { status: 'waiting', waitingFor: 'a sign' },
      { kind: 'stuck', reason: 'permission', ask: { text: 'Waits for you: a sign.' } },
    ],
    [{ status: 'waiting' }, { kind: 'stuck', reason: 'permission' }],
  ])('%j', (more, claimed) => {
    expect(stateOf(more)).toMatchObject({
      source: 'status',
      at: CONTENT.statusUpdatedAt,
      ...claimed,
    })
  })

  test('its owner, its start, and the place of its transcript', () => {
    expect(read({})).toMatchObject({
      ok: true,
      pid: 12272,
      pidStart: 53660,
      session: CONTENT.sessionId,
      events: [
        {
          kind: 'started',
          at: CONTENT.startedAt,
          pid: 12272,
          pidStart: 53660,
          cwd: '/home/op/my proj',
          transcript: `/home/op/.claude/projects/-home-op-my-proj/${CONTENT.sessionId}.jsonl`,
          headless: false,
        },
        { kind: 'unstuck' },
      ],
    })
  })

  test.each([{ kind: 'bg' }, { entrypoint: 'sdk-cli' }])(
    'nobody sits in front of it: %j',
    (more) => {
      expect(stateOf(more)).toMatchObject({ headless: true })
    },
  )

  test('a human can be shown what runs in the background as a job', () => {
    const job = { kind: 'bg', jobId: '4cc0b1c2', tmux: undefined }
    expect(stateOf(job)).toMatchObject({ kind: 'unstuck', headless: false, job: '4cc0b1c2' })
    expect(stateOf({ ...job, entrypoint: 'sdk-cli' })).toMatchObject({ headless: true })
    expect(stateOf({ jobId: '4cc0b1c2' })).not.toHaveProperty('job')
  })

  test('a spare worker is nobody’s session', () => {
    const spare = { kind: 'bg', jobId: '4cc0b1c2', spare: true, status: 'idle' }
    expect(read(spare)).toMatchObject({ ok: true, pid: 12272, events: [] })
  })

  test('a session that went to the background says as what, and nothing new', () => {
    const parked = { status: 'idle', parkedJobId: 'd3553383' }
    expect(read(parked)).toMatchObject({
      ...{ ok: true, showsJob: 'd3553383', isBrief: false },
      events: [{ kind: 'started' }, { kind: 'stuck', at: CONTENT.statusUpdatedAt }],
    })
  })

  test.each(['', 'a b', '-rf', '../x', 'x'.repeat(65)])('%j is no name of a job', (jobId) => {
    expect(read({ kind: 'bg', jobId })).toMatchObject({ ok: false })
  })

  test('only an idle may be over in a moment', () => {
    const brief = ['idle', 'shell', 'busy', 'waiting'].filter((status) => {
      const reading = read({ status })
      return reading.ok && reading.isBrief
    })
    expect(brief).toEqual(['idle', 'shell'])
  })
})

describe('what is not a valid reading', () => {
  test.each<[text: string, why: string]>([
    ['', 'empty'],
    ['  \n', 'empty'],
    ['{"pid":12272,"sess', 'not whole JSON'],
    ['null', 'content'],
    ['[]', 'no status yet'],
    [JSON.stringify({ ...CONTENT, status: undefined }), 'no status yet'],
    [JSON.stringify({ ...CONTENT, status: 'napping' }), '"napping"'],
    [JSON.stringify({ ...CONTENT, status: { is: 'idle' } }), 'status'],
    [JSON.stringify({ ...CONTENT, sessionId: '../../etc' }), 'sessionId'],
    [JSON.stringify({ ...CONTENT, pid: 1 }), 'pid'],
    [JSON.stringify({ ...CONTENT, pid: '12272' }), 'pid'],
    [JSON.stringify({ ...CONTENT, statusUpdatedAt: undefined }), 'statusUpdatedAt'],
    [JSON.stringify({ ...CONTENT, cwd: 'relative' }), 'cwd'],
  ])('%s', (text, why) => {
    const reading = statusSource.read(text, FILE)
    expect(reading.ok).toBe(false)
    expect(!reading.ok && reading.why).toContain(why)
  })
})

describe('where it is', () => {
  test.each([
    [{ HOME: '/home/op' }, '/home/op/.claude/sessions'],
    [{ HOME: '/home/op', CLAUDE_CONFIG_DIR: '/cfg' }, '/cfg/sessions'],
    [{ HOME: '/home/op', CLAUDE_CONFIG_DIR: '' }, '/home/op/.claude/sessions'],
    [{}, undefined],
  ])('%j', (env, directory) => {
    expect(statusSource.directory(env)).toBe(directory)
  })

  test('beside the transcripts', () => {
    expect(statusSource.directoryFor('/cfg/projects/-p/a.jsonl')).toBe('/cfg/sessions')
    expect(statusSource.directoryFor('/tmp/a/b.jsonl')).toBeUndefined()
  })

  test.each([
    ['12272.json', true],
    ['12272.json.tmp', false],
    ['x.json', false],
    ['.lock', false],
  ])('%s', (name, is) => {
    expect(statusSource.isStatusFile(name)).toBe(is)
  })
})
