import { hostname } from 'node:os'
import type { Recorded } from '../../support/recording.ts'
import { FAKE_KEY } from '../support/agents/claude-home.ts'

/** Recordings start at this time, so that recording again changes as little as possible. */
const BEGIN = Date.UTC(2026, 0, 1, 12)

export type Places = { dir: string; home: string; cwd: string }

/** The same lines, with nothing in them about the machine or the run: paths, ids, pids, times. */
export function scrub(lines: Recorded[], places: Places): Recorded[] {
  const text = lines.map((line) => JSON.stringify(line)).join('\n')
  const began = Number(/"at":(\d{13})/.exec(text)?.[1] ?? BEGIN)
  const scrubbed = scrubTimes(scrubIds(scrubText(text, places)), began)
  for (const secret of [slug(places.dir), hostname(), FAKE_KEY]) {
    const found = scrubbed.indexOf(secret)
    if (found < 0) continue
    throw new Error(`"${secret}" is left in: ${scrubbed.slice(found - 100, found + 100)}`)
  }
  return scrubbed.split('\n').map((line) => withoutMachine(JSON.parse(line) as Recorded))
}

/** Paths, and on screens the words that differ from run to run. */
export function scrubText(text: string, { dir, home, cwd }: Places): string {
  return text
    .replaceAll(cwd, '/home/op/proj')
    .replaceAll(slug(cwd), '-home-op-proj')
    .replaceAll(home, '/home/op')
    .replaceAll(`${dir}/tmp`, '/tmp')
    .replaceAll(/\/tmp\/claude-\d+\//g, '/tmp/claude-1000/')
    .replaceAll(/\/(?:private\/)?tmp\/tb-w-\w+\/real\/[\w./-]+/g, '/home/op/bin/claude')
    .replaceAll(/\/\S*\/hook-recorder\.sh'? '?[^\s'"\\]*'?/g, '/home/op/bin/hook.sh')
    .replaceAll(dir, '/home/op/run')
    .replaceAll(/\/\.claude\/plans\/[\w-]+\.md/g, '/.claude/plans/the-plan.md')
    .replaceAll(/✻ \S+ for [\dms ]+ · done \d+:\d\d [AP]M/g, '✻ Worked for 1s · done 12:00 PM')
    .replaceAll(/[✻✶✳✽✢·*] \p{L}[\p{L}-]*…/gu, '✻ Working…')
    .replaceAll(/\((?:\d+m )?\d+s( · [^)\n]*)?\)/g, '(1s)')
    .replaceAll(/⎿ {2}Tip: [^\n\\]*/g, '⎿  Tip: …')
}

function scrubIds(text: string): string {
  const sessions = numbered((n) => `5e551000-0000-4000-8000-${pad(n, 12)}`)
  const uuids = numbered((n) => `00000000-0000-4000-8000-${pad(n, 12)}`)
  const tools = numbered((n) => `toolu_${pad(n, 4)}`)
  const messages = numbered((n) => `msg_${pad(n, 4)}`)
  const agents = numbered((n) => `a${pad(n, 16)}`)
  const tasks = numbered((n) => `b${pad(n, 8)}`)
  for (const [, id = ''] of text.matchAll(/"(?:session_id|sessionId)":"([\w-]+)"/g)) sessions.of(id)
  const shells = [...text.matchAll(/(?:running in background with ID: |"id":")(b[a-z0-9]{8})\b/g)]
  const withTasks = shells.reduce((all, [, id = '']) => all.replaceAll(id, tasks.of(id)), text)
  return withTasks
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, (id) =>
      sessions.has(id) ? sessions.of(id) : uuids.of(id),
    )
    .replaceAll(/\btoolu_\w+/g, tools.of)
    .replaceAll(/\bmsg_\w+/g, messages.of)
    .replaceAll(/\ba[0-9a-f]{16}\b/g, agents.of)
    .replaceAll(/\bproj-[0-9a-f]{2}\b/g, 'proj-00')
}

function scrubTimes(text: string, began: number): string {
  return text
    .replaceAll(/\b1[5-9]\d{11}\b/g, (at) => String(Number(at) - began + BEGIN))
    .replaceAll(/\b20\d\d-\d\d-\d\dT[\d:.]+Z\b/g, (at) =>
      new Date(Date.parse(at) - began + BEGIN).toISOString(),
    )
}

function withoutMachine(line: Recorded): Recorded {
  if (!('status' in line)) return line
  const { pidDomain: _, ...status } = line.status
  const messagingSocketPath = '/tmp/cc-socks/4242.sock'
  return { ...line, status: { ...status, pid: 4242, procStart: '4242', messagingSocketPath } }
}

function numbered(name: (n: number) => string): {
  of(id: string): string
  has(id: string): boolean
} {
  const known = new Map<string, string>()
  return {
    has: (id) => known.has(id),
    of: (id) => {
      const value = known.get(id) ?? name(known.size + 1)
      known.set(id, value)
      return value
    },
  }
}

function pad(n: number, length: number): string {
  return String(n).padStart(length, '0')
}

function slug(path: string): string {
  return path.replace(/[^a-zA-Z0-9]/g, '-')
}
