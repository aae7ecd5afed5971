import { newThread } from '../../../src/core/bridge/thread.ts'
import { issuedToken, revokedToken } from '../../../src/core/bridge/token.ts'
import type { AgentEvent } from '../../../src/core/session/event.ts'
import { newDispatch } from '../../../src/core/supervisor/dispatch/dispatch.ts'
import { newRuntime } from '../../../src/core/supervisor/runtime/runtime.ts'
import { Store } from '../../../src/store/store.ts'
import { appendAudit, forgetAudit } from '../../../src/store/tables/audit.ts'
import {
  insertMessage,
  saveCursor,
  saveHeartbeat,
  saveThread,
} from '../../../src/store/tables/bridge.ts'
import { saveDecision } from '../../../src/store/tables/decisions.ts'
import { saveDispatch } from '../../../src/store/tables/dispatches.ts'
import { saveMute, saveNotices } from '../../../src/store/tables/notices.ts'
import { saveRuntimeScreen } from '../../../src/store/tables/runtime-screens.ts'
import { saveRuntime } from '../../../src/store/tables/runtimes.ts'
import { insertToken, saveTokensKeptAt } from '../../../src/store/tables/tokens.ts'
import { insertTrigger } from '../../../src/store/tables/triggers.ts'
import { triggerIn } from '../supervisor/trigger-in.ts'

const ROWS = 4

/** A database with a few rows in every table, as a daemon with a supervisor would leave it. */
export function fillStore(path: string, now: number, cwd: string): void {
  using store = new Store(path)
  const { db } = store
  const tell = (event: Partial<AgentEvent>) =>
    store.append(
      {
        type: 'event.received',
        event: {
          v: 1,
          kind: 'stuck',
          harness: 'torture',
          session: 's',
          at: now,
          source: 'api',
          ...event,
        },
        recovered: false,
      },
      now,
    )
  for (let n = 0; n < ROWS * 2; n++) {
    tell({ session: `s${n}`, reason: 'permission', block: 'b', ask: { text: `May I ${n}?` } })
    tell({ session: `s${n}`, kind: 'unstuck', at: now + 1, prompt: true })
    if (n % 2 === 0)
      tell({ session: `s${n}`, reason: 'stopped', at: now + 2, ask: { text: `Done ${n}` } })
  }
  store.compact(ROWS, 8)
  for (let n = 0; n < ROWS; n++) {
    store.ignore('torture', `Hook${n}`, now)
    const base = { runtimeId: `rt_${n}`, workspaceId: 'w', role: `r${n}`, harness: 'claude-code' }
    const runtime = newRuntime({ ...base, socket: '/tmp/no-tmux', cwd }, now)
    saveRuntime(db, { ...runtime, sessionId: `s${n}`, failures: [now] })
    const agentId = runtime.agentId
    saveThread(
      db,
      newThread(
        { id: `th_${n}`, workspaceId: 'w', title: `Thread ${n}`, participants: ['w/r0', agentId] },
        now,
      ),
    )
    for (const to of [[], ['w/r0']]) {
      const author = { kind: 'agent', agentId: 'w/r1' } as const
      const id = `msg_${n}_${to.length}`
      insertMessage(db, {
        id,
        threadId: `th_${n}`,
        author,
        at: now,
        text: `Hello ${n}`,
        to,
        findings: ['it leaks'],
      })
    }
    saveCursor(db, { threadId: `th_${n}`, agentId, seq: 1, at: now })
    saveRuntimeScreen(db, `rt_${n}`, { at: now, text: 'What it showed.' })
    saveHeartbeat(db, { runtimeId: `rt_${n}`, status: 'idle', at: now })
    const token = issuedToken(
      { id: `tok_${n}`, runtimeId: `rt_${n}`, agentId, workspaceId: 'w' },
      now,
    )
    insertToken(db, `secret${n}`, n % 2 ? token : revokedToken(token, 'stopped', now))
    const request = {
      name: `d${n}`,
      workspaceId: 'w',
      runtimeId: `rt_${n}`,
      harness: 'claude-code',
      cwd,
    }
    const dispatch = newDispatch(
      { ...request, id: `d${n}`, reviewer: undefined, prompt: 'Fix it', by: 'operator:ana' },
      now,
    )
    saveDispatch(db, { ...dispatch, state: 'done', endedAt: now + n })
    saveNotices(db, [{ id: `torture:s${n}#${n}`, level: 'first', at: now, left: ['bell'] }])
    saveMute(db, { kind: 'project', name: `p${n}`, until: n % 2 ? null : now })
    saveDecision(db, {
      ...{ id: `decision-${n}`, asker: { name: 'robot', id: 'robot' }, kind: 'permission' },
      ...{ text: 'Bash', tool: 'Bash', options: [], digest: 'd', askedAt: now },
      state:
        n % 2
          ? { kind: 'answered', at: now + n, by: 'operator:ana', choice: 'allow', isChanged: false }
          : { kind: 'withdrawn', at: now + n, why: 'deadline' },
    })
    appendAudit(db, {
      at: now + n,
      kind: 'trigger_sent',
      actor: 'trailboss',
      triggerId: `trg_${n}`,
      payload: { text: 'Go', keepsText: true },
    })
    appendAudit(db, {
      at: now + n,
      kind: 'token_issued',
      actor: 'operator:ana',
      result: 'ok',
      runtimeId: `rt_${n}`,
    })
  }
  for (const [n, state] of (['delivered', 'failed', 'cancelled', 'delivered'] as const).entries()) {
    const base = { id: `trg_${n}`, mark: `mark0000${n}0`, runtimeId: `rt_${n}`, agentId: `w/r${n}` }
    const trigger = { ...base, threadId: `th_${n}`, createdAt: now }
    const isFailed = state === 'failed'
    const answered = { kind: 'seen' } as const
    insertTrigger(
      db,
      isFailed ? triggerIn(state, trigger, { answered }) : triggerIn(state, trigger),
    )
  }
  appendAudit(db, { at: now, kind: 'thread_closed', actor: 'trailboss' })
  saveTokensKeptAt(db, now)
  forgetAudit(db, now + 1, 2)
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}
