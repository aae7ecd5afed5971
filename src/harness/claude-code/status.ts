import { basename, dirname, join } from 'node:path'
import * as v from 'valibot'
import { type AgentEvent, JOB_NAME } from '../../core/session/event.ts'
import { truncate } from '../../core/text.ts'
import type { StatusReading, StatusSource } from '../adapter/adapter.ts'
import { objectOf, textOf } from '../config-edit/json-value.ts'
import { HARNESS } from './wiring/name.ts'

/**
 * Claude Code 2.1.139 and later publish their state in `<config>/sessions/<pid>.json`. The format is
 * undocumented, so anything that differs from what we measured (2.1.325) is not a reading at all.
 */
export const statusSource: StatusSource = {
  variables: ['HOME', 'CLAUDE_CONFIG_DIR'],
  directory(env) {
    const config = env['CLAUDE_CONFIG_DIR'] || (env['HOME'] && join(env['HOME'], '.claude'))
    return config ? join(config, 'sessions') : undefined
  },
  directoryFor(transcript) {
    const projects = dirname(dirname(transcript))
    return basename(projects) === 'projects' ? join(dirname(projects), 'sessions') : undefined
  },
  fileFor: (pid) => `${pid}.json`,
  pidOf: (name) => Number.parseInt(name, 10),
  isStatusFile: (name) => /^\d{1,10}\.json$/.test(name),
  read(text, path) {
    const reading = readStatus(text, path)
    return reading.ok ? reading : { ...reading, ...versionIn(text) }
  },
  whyNone: 'no Claude Code runs, or one before 2.1.139, which publishes nothing',
}

function readStatus(text: string, path: string): StatusReading {
  const parsed = parse(text)
  if ('why' in parsed) return { ok: false, why: parsed.why }
  const isOfItsName = basename(path) === statusSource.fileFor(parsed.file.pid)
  return isOfItsName ? readingOf(parsed.file, path) : { ok: false, why: 'its pid is another one' }
}

function versionIn(text: string): { version?: string } {
  try {
    const version = textOf(objectOf(JSON.parse(text))['version'])
    return version ? { version: truncate(version, 40) } : {}
  } catch {
    return {}
  }
}

const TIME = v.pipe(v.number(), v.minValue(1), v.maxValue(8.64e15), v.transform(Math.floor))
const ABSOLUTE_PATH = v.pipe(v.string(), v.regex(/^\/[^\0]*$/), v.maxLength(4096))

const StatusFile = v.looseObject({
  pid: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(2 ** 31)),
  sessionId: v.pipe(v.string(), v.regex(/^[\w-]{1,200}$/)),
  startedAt: TIME,
  status: v.pipe(v.string(), v.nonEmpty()),
  statusUpdatedAt: TIME,
  cwd: v.optional(ABSOLUTE_PATH),
  procStart: v.optional(v.union([v.pipe(v.string(), v.regex(/^\d{0,18}$/)), v.number()])),
  kind: v.optional(v.string()),
  entrypoint: v.optional(v.string()),
  waitingFor: v.optional(v.string()),
  jobId: v.optional(v.pipe(v.string(), v.regex(JOB_NAME))),
  parkedJobId: v.optional(v.pipe(v.string(), v.regex(JOB_NAME))),
  spare: v.optional(v.boolean()),
})

type StatusFile = v.InferOutput<typeof StatusFile>

function parse(text: string): { file: StatusFile } | { why: string } {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { why: text.trim() === '' ? 'it is empty' : 'it is not whole JSON' }
  }
  if (typeof json === 'object' && json !== null && !('status' in json)) {
    return { why: 'it has no status yet' }
  }
  const parsed = v.safeParse(StatusFile, json)
  if (parsed.success) return { file: parsed.output }
  const [issue] = parsed.issues
  return { why: truncate(`${v.getDotPath(issue) ?? 'its content'}: ${issue.message}`, 200) }
}

function readingOf(file: StatusFile, path: string): StatusReading {
  const claim = claimOf(file)
  if (!claim) {
    const value = truncate(JSON.stringify(file.status), 60)
    return { ok: false, why: `its status ${value} is not one of idle, busy, waiting, shell` }
  }
  const pidStart = Number(file.procStart || Number.NaN)
  const transcript = transcriptOf(file, path)
  const about = {
    v: 1,
    harness: HARNESS,
    session: file.sessionId,
    source: 'status',
    pid: file.pid,
    ...(Number.isSafeInteger(pidStart) && { pidStart }),
    ...(file.cwd && { cwd: file.cwd }),
    ...(transcript && { transcript }),
    headless: isHeadless(file),
    ...(file.kind === BACKGROUND && file.jobId && { job: file.jobId }),
  } as const
  const started = {
    ...about,
    kind: 'started',
    at: file.startedAt,
    detail: 'process started',
  } as const
  const at = Math.max(file.statusUpdatedAt, file.startedAt)
  const reading = {
    ok: true,
    pid: file.pid,
    pidStart: Number.isSafeInteger(pidStart) ? pidStart : undefined,
    session: file.sessionId,
    isBrief: file.status === 'idle' || file.status === 'shell',
  } as const
  if (file.spare) return { ...reading, events: [], isBrief: false }
  const events = [started, { ...about, at, ...claim }]
  // The conversation has another id there, and this file does not change any more.
  if (file.parkedJobId) return { ...reading, events, isBrief: false, showsJob: file.parkedJobId }
  return { ...reading, events }
}

const BACKGROUND = 'bg'

type Claim = Pick<AgentEvent, 'kind' | 'detail'> &
  Partial<Pick<AgentEvent, 'reason' | 'label' | 'ask' | 'note'>>

function claimOf({ status, waitingFor }: StatusFile): Claim | undefined {
  switch (status) {
    case 'busy':
      return { kind: 'unstuck', detail: 'busy' }
    case 'idle':
      return { kind: 'stuck', reason: 'stopped', detail: 'idle' }
    case 'shell':
      return {
        kind: 'stuck',
        reason: 'stopped',
        note: 'a background shell is still running',
        detail: 'shell: idle, with a background shell',
      }
    case 'waiting': {
      const what = truncate(waitingFor ?? 'something', 100)
      return {
        kind: 'stuck',
        reason: 'permission',
        ...(what !== 'permission prompt' && {
          ask: { text: ASKS[what] ?? `Waits for you: ${what}.` },
          label: what === 'sandbox request' ? 'permission' : 'asks',
        }),
        detail: `waiting: ${what}`,
      }
    }
    default:
      return undefined
  }
}

/** Waits that are not about a tool named in the transcript. */
const ASKS: Record<string, string | undefined> = {
  'input needed': 'Asks you something.',
  'dialog open': 'A dialog is open.',
  'sandbox request': 'Waits for your permission to leave its sandbox.',
}

/** A human can be shown what runs as a job. */
function isHeadless({ kind = 'interactive', entrypoint = 'cli', jobId }: StatusFile): boolean {
  if (entrypoint !== 'cli') return true
  return kind === BACKGROUND ? jobId === undefined : kind !== 'interactive'
}

/** The project's directory is named after its path, with everything but letters and digits as `-`. */
function transcriptOf({ cwd, sessionId }: StatusFile, path: string): string | undefined {
  if (!cwd) return undefined
  const project = cwd.replaceAll(/[^a-zA-Z0-9]/g, '-')
  return join(dirname(dirname(path)), 'projects', project, `${sessionId}.jsonl`)
}
