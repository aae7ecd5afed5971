import * as v from 'valibot'
import { parseAgentEvent } from '../../contract/agent-event.ts'
import { HookEnvelope } from '../../contract/envelope.ts'
import { ASK_INPUT_CHARS, isDeeperThan, isJsonWithin, MAX_DEPTH } from '../../contract/limits.ts'
import { TrailBossError } from '../../core/errors.ts'
import type { PaneRef } from '../../core/pane.ts'
import { redacted } from '../../core/redact/redaction.ts'
import { type AgentEvent, type Ask, type SessionKey, sessionKey } from '../../core/session/event.ts'
import { type RedactedEvent, withoutSecrets } from '../../core/session/event-redaction.ts'
import { isOldNews } from '../../core/session/evidence.ts'
import { truncate } from '../../core/text.ts'
import type { Hook } from '../../harness/adapter/adapter.ts'
import { adapterFor, DEFAULT_HARNESS } from '../../harness/registry.ts'
import { canonicalSocket, claimedPane } from '../../tmux/socket.ts'
import type { Herd } from '../herd/herd.ts'
import type { PaneInventory } from '../panes/pane-inventory.ts'
import { isOfAnother, isUnproven, originOf } from './hook-origin.ts'
import { createTwinNames, isOfTwins, type NameSession, underOurName } from './twin-session.ts'

/**
 * How an event reached us. `live`: somebody sent it just now. `tailed`: it was just written to a file that we
 * follow. `found`: it was in a file before we looked, stamped by the wall clock of that time. An event from a
 * file counts by when it happened.
 */
type Arrival = 'live' | 'tailed' | 'found'

export type Ingest = {
  /** A hook's payload, wrapped by the emitter or bare. Returns the number of events. */
  hook(body: unknown, arrival: Arrival, harness?: string): number
  event(body: unknown): number
  /** The name that a session has with us. */
  nameOf: NameSession
  /** An event of one of our own readers. It is not logged if it has nothing new. */
  own(event: AgentEvent, arrival: Arrival): void
}

/** Where a session runs, as far as we know. */
export type Place = Pick<AgentEvent, 'pane' | 'pid' | 'pidStart' | 'job'>

export type IngestParts = {
  herd: Herd
  inventory: PaneInventory
  /**
   * The terminal that shows a session run by a server of its harness. Absent: it has no pane. Undefined: the event
   * says nothing about the session, only about the server.
   */
  placeFor?(key: SessionKey, event: AgentEvent, server: Place): Place | undefined
  ignore(harness: string, name: string): void
}

/** Parses every signal once and turns it into evidence. */
export function createIngest({ herd, inventory, placeFor, ignore }: IngestParts): Ingest {
  const admissionTime = (at: number, arrival: Arrival): number =>
    arrival === 'found' ? Math.min(at, herd.clock.now()) : herd.clock.fromWall(at)

  function admit(event: RedactedEvent, arrival: Arrival): void {
    const pane = event.pane && knownPane(event.pane, inventory)
    const admitted = { ...event, at: admissionTime(event.at, arrival), ...(pane && { pane }) }
    herd.receive(admitted, { recovered: arrival !== 'live' })
  }

  const nameOf = createTwinNames(herd)
  return {
    nameOf,

    hook(body, arrival, harness = DEFAULT_HARNESS) {
      const { envelope, hook } = parseHook(body, harness)
      const adapter = adapterFor(envelope.harness)
      if (!adapter) {
        const message = `No adapter knows the harness "${envelope.harness}".`
        const hint = 'POST normalized events to /v1/events instead.'
        throw new TrailBossError('BAD_EVENT', message, { hint })
      }
      const { process, isDaemon, ...origin } = originOf(envelope, hook.pane, inventory, adapter)
      const { pane: _, ...paneless } = hook
      const trusted = isDaemon || isUnproven(envelope, origin, adapter) ? paneless : hook
      const { pid } = origin
      const events = adapter
        .hookEvents({ ...trusted, ...(process && { process }) })
        .map((event) => underOurName(event, nameOf({ ...event, ...(pid && { pid }) })))
        .map(storable)
      const [first] = events
      const session = first && herd.session(sessionKey(first.harness, first.session))
      const knownAt = herd.clock.toWall(session?.lastAt ?? 0)
      if (!first || (!isDaemon && isOfAnother(session, origin, events, knownAt))) {
        ignore(envelope.harness, hookName(envelope.payload))
        return 0
      }
      for (const event of events) {
        requireShallow(event.ask?.input)
        const key = sessionKey(event.harness, event.session)
        const place = isDaemon && placeFor ? placeFor(key, event, origin) : origin
        if (place) admit({ ...event, ...place }, arrival)
        else ignore(envelope.harness, hookName(envelope.payload))
      }
      return events.length
    },

    event(body) {
      requireShallow(body)
      const parsed = parseAgentEvent(body)
      if ('unknown' in parsed) {
        ignore(parsed.unknown.harness, redacted(parsed.unknown.kind))
        return 0
      }
      admit(storable(parsed.event), 'live')
      return 1
    },

    own(read, arrival) {
      if (isOfTwins(read, herd)) return
      const event = storable(read)
      const session = herd.session(sessionKey(event.harness, event.session))
      const known = { ...event, at: admissionTime(event.at, arrival) }
      const isPlaced = session?.pane !== undefined || event.pane === undefined
      if (session && isPlaced && isOldNews(session.evidence, known)) return
      admit(event, arrival)
    },
  }
}

function parseHook(body: unknown, harness: string): { envelope: HookEnvelope; hook: Hook } {
  const envelope = isEnvelope(body)
    ? parseEnvelope(body)
    : { v: 1 as const, harness, at: Date.now(), payload: body }
  const pane = claimedPane({ TMUX: envelope.tmux, TMUX_PANE: envelope.pane })
  return {
    envelope,
    hook: {
      at: envelope.at,
      payload: envelope.payload,
      ...(envelope.pid !== undefined && { pid: envelope.pid }),
      ...(envelope.entrypoint !== undefined && { entrypoint: envelope.entrypoint }),
      ...(envelope.runner !== undefined && { runner: envelope.runner }),
      ...(envelope.job !== undefined && { job: envelope.job }),
      ...(pane && { pane }),
    },
  }
}

function isEnvelope(body: unknown): body is object {
  return body !== null && typeof body === 'object' && 'payload' in body && 'harness' in body
}

function parseEnvelope(body: object): HookEnvelope {
  const parsed = v.safeParse(HookEnvelope, body)
  if (parsed.success) return parsed.output
  const [issue] = parsed.issues
  const message = `${v.getDotPath(issue) ?? 'the envelope'}: ${issue.message}`
  throw new TrailBossError('BAD_EVENT', message, {
    hint: 'The emitter sends {"v":1,"harness":NAME,"at":EPOCH_MS,"payload":{…}}, and what it knows of the pane and the process.',
  })
}

function knownPane(pane: PaneRef, inventory: PaneInventory): PaneRef {
  if (inventory.knows(pane.socket)) return pane
  const socket = canonicalSocket(pane.socket)
  inventory.know(socket)
  return { ...pane, socket }
}

/** Bound the size first: a tool's input may be a whole file. */
function storable(event: AgentEvent): RedactedEvent {
  return withoutSecrets({
    ...event,
    ...(event.ask && { ask: boundedAsk(event.ask) }),
    ...(event.pending && { pending: event.pending.map(boundedAsk) }),
  })
}

function boundedAsk(ask: Ask): Ask {
  if (ask.input === undefined || isJsonWithin(ask.input, ASK_INPUT_CHARS)) return ask
  const { input: _, ...rest } = ask
  return rest
}

function requireShallow(value: unknown): void {
  if (!isDeeperThan(value, MAX_DEPTH)) return
  throw new TrailBossError('BAD_EVENT', `The event nests deeper than ${MAX_DEPTH} levels.`)
}

function hookName(payload: unknown): string {
  const name = (payload as { hook_event_name?: unknown } | null)?.hook_event_name
  return typeof name === 'string' && name ? redacted(truncate(name, 100)) : 'unnamed'
}
