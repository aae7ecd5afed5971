import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { type AgentEvent, sessionKey } from '../../../src/core/session/event.ts'
import type { Verdict } from '../../../src/core/session/verdict.ts'
import { Reconciler } from '../../../src/daemon/sessions/reconcile.ts'
import { StatusFollower } from '../../../src/daemon/status/status-follower.ts'
import { startOf } from '../../../src/process/process-state.ts'
import { createTestHerd, type TestHerd } from './test-herd.ts'

type StatusContent = {
  pid?: number
  session?: string
  procStart?: string
  waitingFor?: string
  startedAt?: number
  at?: number
  directory?: string
  /** Fields of the file as they are. */
  more?: object
}

/** A herd in which only Claude Code's published status is a source. */
export type StatusScene = Disposable & {
  world: TestHerd
  follower: StatusFollower
  /** The directory of the status files. */
  sessions: string
  /** Returns the file it wrote; for this process by default. */
  publish(status: string, content?: StatusContent): string
  tell(more: Pick<AgentEvent, 'kind' | 'at'> & Partial<AgentEvent>): void
  verdict(session?: string): Verdict | undefined
  becomes(state: string, session?: string): Promise<void>
}

export function createStatusScene(): StatusScene {
  const world = createTestHerd()
  const sessions = join(world.dir, '.claude', 'sessions')
  mkdirSync(sessions, { recursive: true })
  const reconciler = new Reconciler(world.herd, world.inventory)
  const follower = new StatusFollower({
    ingest: world.ingest,
    inventory: world.inventory,
    log: world.log,
    env: { HOME: world.dir },
    checkProcess: (key) => reconciler.checkNow(key),
    turnEnd: (key) => world.herd.turnEnd(key),
  })
  follower.sweep()
  const verdict = (session = 's') => world.herd.session(sessionKey('claude-code', session))?.verdict
  return {
    world,
    follower,
    sessions,
    publish: (status, content = {}) => publish(status, { directory: sessions, ...content }),
    tell: (more) => {
      const event = { v: 1, harness: 'claude-code', session: 's', source: 'hook', ...more } as const
      world.ingest.own(event, 'tailed')
    },
    verdict,
    becomes: (state, session) =>
      vi.waitFor(() => expect(verdict(session)?.state).toBe(state), 15_000),
    [Symbol.dispose]: () => {
      follower[Symbol.dispose]()
      world[Symbol.dispose]()
    },
  }
}

function publish(status: string, content: StatusContent & { directory: string }): string {
  const { pid = process.pid, directory } = content
  const file = join(directory, `${pid}.json`)
  const text = JSON.stringify({
    pid,
    sessionId: content.session ?? 's',
    cwd: '/p',
    startedAt: content.startedAt ?? Date.now() - 60_000,
    procStart: content.procStart ?? String(startOf(pid) ?? ''),
    kind: 'interactive',
    entrypoint: 'cli',
    status,
    waitingFor: content.waitingFor,
    statusUpdatedAt: content.at ?? Date.now(),
    ...content.more,
  })
  writeFileSync(`${file}.tmp`, text)
  renameSync(`${file}.tmp`, file)
  return file
}
