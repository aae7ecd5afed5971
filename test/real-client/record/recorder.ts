import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Recorded } from '../../support/recording.ts'
import { waitFor } from '../../support/wait-for.ts'
import type { RealAgent } from '../support/agents/claude-agent.ts'
import { readStatusFile } from '../support/agents/status-file.ts'
import { scrubText } from './scrub.ts'

/** Everything that a session says about itself, in time's order. */
export type Recorder = Disposable & {
  /** The settings file that makes Claude Code hand its hooks to the recorder. */
  settings: string
  follow(agent: RealAgent): void
  /** What was before does not belong to the recording. */
  begin(): void
  /** Waits until the screen that belongs to the present status is recorded. */
  settled(): Promise<void>
  lines(): Recorded[]
}

const HOOK = fileURLToPath(new URL('./hook-recorder.sh', import.meta.url))
const EVENTS = [
  ...['SessionStart', 'SessionEnd', 'UserPromptSubmit', 'PreToolUse', 'PermissionRequest'],
  ...['PostToolUse', 'PostToolUseFailure', 'Stop', 'StopFailure', 'SubagentStart', 'SubagentStop'],
  ...['PreCompact', 'PostCompact', 'Elicitation', 'ElicitationResult', 'Notification'],
]

/** Big, or about the machine; none of them tells anything about the session's state. */
const LEFT_OUT = /^(attachment|api-request.*|file-history-.*|cost-state|atis-latch|custom-title)$/

const LOOK_MS = 10
const CAPTURE_MS = 150
/** How long after a change of status everything about it is drawn and written. */
const SETTLED_MS = 400
/** How long a new state may be on the screen before the status file has it. */
const DRAWN_BEFORE_MS = 250

export function createRecorder(dir: string, home: string): Recorder {
  const hooks = join(dir, 'recorded-hooks')
  mkdirSync(hooks)
  const settings = join(dir, 'recorder.json')
  const hook = { type: 'command', async: true, command: `'${HOOK}' '${hooks}'` }
  const wired = EVENTS.map((event) => [event, [{ hooks: [hook] }]])
  writeFileSync(settings, JSON.stringify({ hooks: Object.fromEntries(wired) }))

  const seen: (Recorded & { at: number })[] = []
  const taken = new Map<string, number>()
  let beganAt = 0
  let lastRecordAt = 0
  let agent: RealAgent | undefined
  let status = { text: '', at: 0 }
  let captured = { at: 0, key: '' }
  let isCapturing = false

  const look = (): void => {
    const at = Date.now()
    if (agent) takeStatus(agent, at)
    for (const file of transcriptsIn(home)) takeTranscript(file, at)
    takeHooks()
  }
  const takeStatus = ({ pid }: RealAgent, at: number): void => {
    const read = readStatusFile(home, pid)
    const text = JSON.stringify(read)
    if (!read || text === status.text) return
    status = { text, at }
    seen.push({ at, status: read })
  }
  // By when it happened, as its hooks are; but its lines stay in the order that they have.
  const takeTranscript = (file: string, seenAt: number): void => {
    const text = readFileSync(file, 'utf8')
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    for (const line of whole.slice(taken.get(file) ?? 0).split('\n')) {
      if (!line) continue
      const record = JSON.parse(line) as { type?: string; timestamp?: string }
      const at = record.timestamp ? Date.parse(record.timestamp) : Math.min(lastRecordAt, seenAt)
      lastRecordAt = Math.max(lastRecordAt, at)
      if (!LEFT_OUT.test(record.type ?? '')) seen.push({ at: lastRecordAt, record })
    }
    taken.set(file, whole.length)
  }
  const takeHooks = (): void => {
    for (const name of readdirSync(hooks)) {
      if (!name.endsWith('.json') || taken.has(name)) continue
      taken.set(name, 1)
      const payload = JSON.parse(readFileSync(join(hooks, name), 'utf8')) as Record<string, unknown>
      seen.push({ at: Number(name.split('-')[0]), hook: payload })
    }
  }
  const capture = async (): Promise<void> => {
    const startedAt = Date.now()
    if (!agent || isCapturing || startedAt - captured.at < CAPTURE_MS) return
    isCapturing = true
    const screen = await agent.screen().finally(() => {
      isCapturing = false
    })
    if (screenKey(screen) !== captured.key) seen.push({ at: Date.now(), screen })
    captured = { at: startedAt, key: screenKey(screen) }
  }
  const timer = setInterval(() => {
    look()
    capture().catch(() => {})
  }, LOOK_MS)

  return {
    settings,
    follow: (followed) => {
      agent = followed
    },
    begin: () => {
      look()
      seen.length = 0
      beganAt = Date.now()
    },
    settled: async () => {
      look()
      const called = Date.now()
      const isShown = () => captured.at > Math.max(called, status.at + SETTLED_MS)
      await waitFor(isShown, { what: 'the screen of the present status' })
    },
    lines: () => {
      look()
      const told = seen.filter(({ at }) => at >= beganAt).toSorted((a, b) => a.at - b.at)
      return told.filter((line, index) => !('screen' in line) || isLastOfStatus(told, index))
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** Of the screens of one status, the last one that does not show the next status already. */
function isLastOfStatus(told: (Recorded & { at: number })[], index: number): boolean {
  const after = told.slice(index + 1)
  const next = after.find((line) => 'status' in line)
  const until = next ? next.at - DRAWN_BEFORE_MS : Number.POSITIVE_INFINITY
  if (told[index]!.at > until) return false
  return !after.some((line) => 'screen' in line && line.at <= until)
}

/** A screen on which only the spinner has moved is the same. */
function screenKey(screen: string): string {
  return scrubText(screen, { dir: '\0', home: '\0', cwd: '\0' })
}

/** The main threads' only: what a subagent writes is in a directory of its own. */
function transcriptsIn(home: string): string[] {
  const projects = join(home, '.claude', 'projects')
  try {
    return readdirSync(projects).flatMap((project) =>
      readdirSync(join(projects, project))
        .filter((name) => name.endsWith('.jsonl'))
        .map((name) => join(projects, project, name)),
    )
  } catch {
    return []
  }
}
