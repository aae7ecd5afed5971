import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { JsonlTail } from '../../src/harness/transcript/jsonl-tail.ts'

/** A hook's payload, and when its process started. */
export type RecordedHook = { at: number; pane: string; job: string; payload: HookPayload }
type HookPayload = { session_id: string; hook_event_name: string; [field: string]: unknown }

/** A line of a transcript, and when it could first be read. */
export type RecordedLine = { at: number; session: string; record: unknown }

type HookSettings = { hooks: Record<string, { hooks: unknown[] }[]> }

/** Adds a second hook beside the emitter for each event, which keeps the payload and the time. */
export function recordHooks(home: string, dir: string): { read(): RecordedHook[] } {
  mkdirSync(dir, { recursive: true })
  const script = join(dir, 'record')
  const kept = join(dir, 'hooks')
  mkdirSync(kept, { recursive: true })
  writeFileSync(
    script,
    `#!/bin/sh\nat=$(date +%s%3N)\nexec cat >'${kept}'/"$at-$$-\${TMUX_PANE-}-\${CLAUDE_JOB_DIR##*/}.json"\n`,
  )
  chmodSync(script, 0o755)
  const file = join(home, '.claude', 'settings.json')
  const settings = JSON.parse(readFileSync(file, 'utf8')) as HookSettings
  for (const [matcher] of Object.values(settings.hooks)) {
    matcher?.hooks.push({ type: 'command', async: true, command: script })
  }
  writeFileSync(file, JSON.stringify(settings))
  return { read: () => readHooks(kept) }
}

function readHooks(dir: string): RecordedHook[] {
  return readdirSync(dir)
    .flatMap((name) => {
      const [, at, pane = '', job = ''] = /^(\d+)-\d+-(%\d+)?-(\w*)\.json$/.exec(name) ?? []
      const payload = parsed(readFileSync(join(dir, name), 'utf8'))
      return at && payload ? [{ at: Number(at), pane, job, payload }] : []
    })
    .toSorted((a, b) => a.at - b.at)
}

/** A hook that was killed with its agent leaves an empty file. */
function parsed(text: string): HookPayload | undefined {
  try {
    return JSON.parse(text) as HookPayload
  } catch {
    return undefined
  }
}

const LOOK_MS = 20
/** New projects are rare. */
const LIST_EVERY = 10

/** Follows every transcript below a Claude Code home, accurate to about 20 ms. */
export class TranscriptLog implements Disposable {
  readonly lines: RecordedLine[] = []
  readonly #projects: string
  readonly #tails = new Map<string, JsonlTail>()
  readonly #timer: NodeJS.Timeout
  #looks = 0

  constructor(home: string) {
    this.#projects = join(home, '.claude', 'projects')
    this.#timer = setInterval(() => this.#look(), LOOK_MS)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    if (this.#looks++ % LIST_EVERY === 0) this.#list()
    const at = Date.now()
    for (const tail of this.#tails.values()) {
      const session = basename(tail.path, '.jsonl')
      for (const record of tail.readNew().records) this.lines.push({ at, session, record })
    }
  }

  #list(): void {
    for (const project of namesIn(this.#projects)) {
      for (const name of namesIn(join(this.#projects, project))) {
        const path = join(this.#projects, project, name)
        if (!name.endsWith('.jsonl') || this.#tails.has(path)) continue
        this.#tails.set(path, new JsonlTail(path, { firstBytes: 16 * 1024 * 1024 }))
      }
    }
  }
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}
