import { existsSync } from 'node:fs'
import { isSamePane } from '../../core/pane.ts'
import { sessionKey } from '../../core/session/event.ts'
import type { Session } from '../../core/session/session.ts'
import { paneIn, type Runtime, withPane } from '../../core/supervisor/runtime/runtime.ts'
import type { Herd } from '../context/herd.ts'
import type { Registry } from './registry.ts'

export type RuntimeSessionsParts = {
  registry: Registry
  herd: Pick<Herd, 'session'>
  /** Its agent has done something. */
  active(runtimeId: string): void
}

/** Which conversation each runtime has, as the harness itself reports it. */
export type RuntimeSessions = {
  link(session: Session): void
  /** A sign of life over the bridge. */
  beat(runtimeId: string, at: number): void
  /** If no transcript is known, the harness has to decide. */
  canResume(runtime: Runtime): boolean
  /** The agent that has this session, or whose pane it is in. */
  agentOf(session: Pick<Session, 'harness' | 'id' | 'pane'>): string | undefined
}

const HEARD_EVERY_MS = 60_000

export function createRuntimeSessions(parts: RuntimeSessionsParts): RuntimeSessions {
  const { registry, herd, active } = parts
  return {
    link({ id, harness, pane, pid, isGuest, headless, verdict, lastAt }) {
      if (!pane || isGuest || headless || verdict.state === 'ended' || isStandIn(id)) return
      const runtime = registry
        .list()
        .find((one) => isSamePane(paneIn(one), pane) && one.harness === harness)
      const own = runtime && paneIn(runtime)
      if (!own || (pane.server !== undefined && pane.server !== own.server)) return
      active(runtime.runtimeId)
      const isKnown = runtime.sessionId === id && own.agentPid === pid
      const isRecent = lastAt - (runtime.lastHeartbeatAt ?? 0) < HEARD_EVERY_MS
      if (isKnown && isRecent) return
      const placed = withPane(runtime, { ...own, agentPid: pid })
      registry.change(() => registry.save({ ...placed, sessionId: id, lastHeartbeatAt: lastAt }))
    },
    beat(runtimeId, at) {
      const runtime = registry.find(runtimeId)
      if (!runtime || at - (runtime.lastHeartbeatAt ?? 0) < HEARD_EVERY_MS) return
      registry.change(() => registry.save({ ...runtime, lastHeartbeatAt: at }))
    },
    canResume({ harness, sessionId }) {
      if (sessionId === undefined) return false
      const transcript = herd.session(sessionKey(harness, sessionId))?.transcript
      return transcript === undefined || existsSync(transcript)
    },
    agentOf({ harness, id, pane }) {
      const isIt = (one: Runtime) =>
        (one.sessionId === id && one.harness === harness) || isSamePane(paneIn(one), pane)
      return registry.list().find(isIt)?.agentId
    },
  }
}

/** The monitor's own name for a program that has not reported its session. */
function isStandIn(id: string): boolean {
  return /^pid-\d+$/.test(id)
}
