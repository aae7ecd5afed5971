import type { PaneRef } from '../../core/pane.ts'
import { type LiftedEpisode, OUTCOMES } from '../../core/session/episode.ts'
import type { AgentEvent, Ask } from '../../core/session/event.ts'
import type {
  Block,
  Evidence,
  Observation,
  PendingTools,
  ProcessSighting,
  Sighting,
  Stop,
} from '../../core/session/evidence.ts'
import type { Item } from '../../core/session/queue.ts'
import type { Session } from '../../core/session/session.ts'
import { OWN_SUBJECTS, type OwnSubject } from '../../core/session/subject.ts'
import { WAIT_LABELS } from '../../core/session/wait-label.ts'
import {
  anything,
  count,
  flag,
  list,
  map,
  name,
  object,
  oneOf,
  optional,
  type Shape,
  text,
  time,
  variant,
} from './shape.ts'

/**
 * The required shape of sessions and of entries in the event log. Fields that earlier versions did not write
 * are optional.
 */

const source = oneOf(['hook', 'status', 'transcript', 'screen', 'process', 'api'])
const reason = oneOf(['permission', 'stopped'])
const label = optional(oneOf(WAIT_LABELS))
const claim = oneOf(['stuck', 'working', 'unclear'])

const ask = object<Ask>({ text, tool: optional(text), input: anything })
const sighting = object<Sighting>({ at: time, source, detail: text })
const observation = object<Observation>({
  at: time,
  claim,
  reason,
  ask: optional(ask),
  label,
  note: optional(text),
  detail: text,
})
const processSighting = object<ProcessSighting>({
  at: time,
  state: oneOf(['alive', 'suspended', 'gone', 'unobservable']),
  detail: text,
})
const block = object<Block>({
  openedAt: time,
  liftedAt: time,
  isNamed: flag,
  ask: optional(ask),
  label,
  subagent: text,
  source,
  detail: text,
})

const evidence = object<Evidence>({
  stops: map(
    object<Stop>({ at: time, ask: optional(ask), label, note: optional(text), detail: text }),
  ),
  worked: optional(sighting),
  blocks: map(block),
  lifted: map(time),
  answeredAt: time,
  pending: optional(object<PendingTools>({ at: time, asks: list(ask) })),
  started: optional(sighting),
  ended: optional(sighting),
  status: optional(observation),
  busyAt: optional(time),
  promptedAt: optional(time),
  typedAt: optional(time),
  typedBefore: optional(time),
  ownPromptAt: optional(time),
  otherPromptAt: optional(time),
  screen: optional(observation),
  turnShownAt: optional(time),
  process: optional(processSighting),
  heard: optional(map(time)),
})

const pane = object<PaneRef>({
  socket: name,
  id: name,
  server: optional(count),
  pid: optional(count),
})

const about = optional(object<OwnSubject>({ kind: oneOf(OWN_SUBJECTS), id: name }))

const calm = object({ since: time, by: optional(source), why: text })

const verdict = variant('state', {
  stuck: object({ since: time, by: source, why: text, reason, ask, label }),
  working: calm,
  ended: calm,
  unknown: calm,
})

const item = object<Item>({
  episode: count,
  order: time,
  since: time,
  readyAt: time,
  orderBeforeSkip: optional(time),
  until: optional(time),
  dismissedAt: optional(time),
  woken: optional(object({ by: count, at: time })),
})

const lifted = object<LiftedEpisode>({
  episode: count,
  at: time,
  outcome: oneOf(OUTCOMES),
  isOurs: flag,
})

export const sessionShape: Shape = object<Session>({
  key: name,
  harness: name,
  id: name,
  about,
  headless: flag,
  cwd: optional(text),
  pid: optional(count),
  pidStart: optional(count),
  transcript: optional(text),
  pane: optional(pane),
  isGuest: optional(flag),
  job: optional(text),
  paneAt: time,
  lastAt: time,
  evidence,
  verdict,
  item: optional(item),
  lifted: optional(lifted),
})

const event = object<AgentEvent>({
  v: anything,
  kind: oneOf(['started', 'stuck', 'unstuck', 'ended', 'seen']),
  harness: name,
  session: name,
  at: time,
  source,
  pane: optional(pane),
  pid: optional(count),
  pidStart: optional(count),
  cwd: optional(text),
  transcript: optional(text),
  reason: optional(reason),
  ask: optional(ask),
  label,
  note: optional(text),
  pending: optional(list(ask)),
  prompt: optional(flag),
  marks: optional(list(text)),
  block: optional(text),
  subagent: optional(text),
  headless: optional(flag),
  isGuest: optional(flag),
  job: optional(text),
  detail: optional(text),
  about,
})

export const entryShape: Shape = variant('type', {
  'event.received': object({ event, recovered: flag }),
  'process.observed': object({ session: name, process: processSighting }),
  'item.skipped': object({ session: name, cooldownMs: time, until: optional(time) }),
  'item.restored': object({ session: name }),
  'item.dismissed': object({ session: name }),
  'item.recalled': object({ session: name }),
  'session.forgotten': object({ session: name }),
})
