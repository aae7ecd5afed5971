import {
  append,
  applyEdits,
  childrenOf,
  commentsIn,
  empty,
  type JsonStyle,
  remove,
  styleOf,
  type TextEdit,
} from '../config-edit/json-edit.ts'
import {
  type JsonContainer,
  type JsonDialect,
  type JsonNode,
  memberOf,
  parseJsonText,
} from '../config-edit/json-text.ts'
import { type Emitter, emitterCommand, emitterIn } from './emitter-command.ts'
import { findOurHooks, type OurHook, requireHookLists } from './hook-search.ts'

/**
 * Our hooks in the text of a settings file. Everything else in it stays, including its style: `removeHooks`
 * after `addHooks` returns the same text. A list that was empty before and one that we created look the same
 * afterwards, so both also take the original text, if there is one.
 */

/** How a harness wants its hooks written. */
export type HookFormat = {
  harness: string
  title: string
  /** What a hook for this event has besides its command. */
  fields(event: string): Record<string, unknown>
  /** Fields without which no hook runs: doctor reports a missing one, install adds it. */
  needed: readonly string[]
  /** Further fields that install adds to our hooks. Doctor does not require them. */
  wanted?: readonly string[]
  /** Whether the harness allows comments in its settings. */
  hasComments?: boolean
}

export type HookRequest = {
  emitter: Emitter
  events: readonly string[]
  /** True removes those for other events, because the installed version would refuse them. */
  isComplete: boolean
}

/** `text` undefined means that there is no file yet; `before` is the text before our change. Idempotent. */
export function addHooks(
  manner: HookFormat,
  text: string | undefined,
  request: HookRequest,
  before?: string,
): string {
  const root = text === undefined ? undefined : parseJsonText(text, manner)
  if (text === undefined || root === undefined) return addHooks(manner, '{}\n', request)
  const { harness, title } = manner
  requireHookLists(text, root, { events: request.events, title })
  const found = findOurHooks(root, harness)
  const superfluous = superfluousOf(found, request)
  if (superfluous.size > 0) {
    return addHooks(manner, takeOut(text, root, superfluous, { before, manner }), request, before)
  }

  const style = styleOf(text, root)
  const present = new Set(found.map(({ event }) => event))
  const missing = request.events.filter((event) => !present.has(event))
  return applyEdits(text, [
    ...found.flatMap((hook) => renewal(text, hook, { manner, emitter: request.emitter, style })),
    ...additions(text, root, { ...request, events: missing }, { manner, style }),
  ])
}

/** Undefined if nothing is left of a file created for them: one without an original text. */
export function removeHooks(
  manner: Pick<HookFormat, 'harness' | 'hasComments'>,
  text: string,
  before: string | undefined,
): string | undefined {
  const root = parseJsonText(text, manner)
  if (root?.kind !== 'object') return text
  const ours = new Set<JsonNode>(findOurHooks(root, manner.harness).map(({ hook }) => hook))
  if (ours.size === 0) return text
  const rest = takeOut(text, root, ours, { before, manner })
  const remains = parseJsonText(rest, manner)
  if (remains?.kind !== 'object' || remains.members.length > 0) return rest
  const around = rest.slice(0, remains.start) + rest.slice(remains.end)
  if (commentsIn(rest, remains) !== undefined || around.trim() !== '') return rest
  return before === undefined || before.trim() === '' ? before : rest
}

export function fieldsLacking(hook: JsonNode, fields: readonly string[]): string[] {
  return fields.filter((key) => !memberOf(hook, key))
}

type Writing = { manner: HookFormat; style: JsonStyle }

function groupFor(event: string, emitter: Emitter, manner: HookFormat): Record<string, unknown> {
  const command = emitterCommand(emitter, manner.harness)
  return { hooks: [{ ...manner.fields(event), command }] }
}

/** Hooks for events that are no longer wanted, and all but the first for one event. */
function superfluousOf(found: OurHook[], { events, isComplete }: HookRequest): Set<JsonNode> {
  const seen = new Set<string>()
  const superfluous = found.filter(({ event }) => {
    const isSecond = seen.has(event)
    seen.add(event)
    return isSecond || (isComplete && !events.some((wanted) => wanted === event))
  })
  return new Set(superfluous.map(({ hook }) => hook))
}

/** Updates an emitter that has moved, and adds missing fields. The user's changes to the hook stay. */
function renewal(
  text: string,
  { event, hook, command }: OurHook,
  { emitter, manner, style }: Writing & { emitter: Emitter },
): TextEdit[] {
  const wanted = emitterCommand(emitter, manner.harness)
  const use = emitterIn(command.value, manner.harness)
  const isRight = command.value === wanted || (!use?.isOurs && use?.program === emitter.program)
  const fields = manner.fields(event)
  const keys = [...manner.needed, ...(manner.wanted ?? [])]
  const lacking = fieldsLacking(hook, keys).map((key) => ({ key, value: fields[key] }))
  return [
    ...(isRight ? [] : [{ start: command.start, end: command.end, text: JSON.stringify(wanted) }]),
    ...(lacking.length > 0 ? [append(text, hook, lacking, style)] : []),
  ]
}

function additions(
  text: string,
  root: JsonContainer,
  request: HookRequest,
  { manner, style }: Writing,
): TextEdit[] {
  if (request.events.length === 0) return []
  const groupOf = (event: string) => groupFor(event, request.emitter, manner)
  const hooks = memberOf(root, 'hooks')?.value
  if (hooks === undefined) {
    const value = Object.fromEntries(request.events.map((event) => [event, [groupOf(event)]]))
    const addition = { key: 'hooks', value, isSpread: true }
    return [append(text, root, [addition], style)]
  }
  const listOf = (event: string) => memberOf(hooks, event)?.value as JsonContainer | undefined
  const edits = request.events.flatMap((event) => {
    const list = listOf(event)
    return list ? [append(text, list, [{ value: groupOf(event) }], style)] : []
  })
  const keys = request.events.filter((event) => listOf(event) === undefined)
  if (keys.length === 0) return edits
  const members = keys.map((key) => ({ key, value: [groupOf(key)] }))
  return [...edits, append(text, hooks as JsonContainer, members, style)]
}

/**
 * Removes these hooks, and the groups, lists and objects that held nothing else. What was empty before stays
 * exactly as empty.
 */
function takeOut(
  text: string,
  root: JsonContainer,
  doomed: Set<JsonNode>,
  { before, manner }: { before: string | undefined; manner: JsonDialect },
): string {
  const hooks = memberOf(root, 'hooks')
  if (hooks?.value.kind !== 'object') return text
  const was = before === undefined ? undefined : parsed(before, manner)
  const hooksBefore = memberOf(was, 'hooks')?.value
  const edits: TextEdit[] = []
  const emptied = (container: JsonContainer, gone: Set<unknown>, space: string | undefined) => {
    const isEmptied = gone.size === childrenOf(container).length
    if (!isEmptied) edits.push(...remove(text, container, (child) => gone.has(child)))
    const comments = isEmptied ? commentsIn(text, container) : undefined
    const left = comments === undefined || isSameText(comments, space) ? space : comments
    if (isEmptied && left !== undefined) edits.push(empty(container, left))
    return isEmptied && left === undefined
  }
  const events = hooks.value.members.filter(({ key, value }) => {
    if (value.kind !== 'array') return false
    const groups = value.items.filter((group) => {
      const list = memberOf(group, 'hooks')?.value
      if (list?.kind !== 'array') return false
      const gone = new Set(list.items.filter((hook) => doomed.has(hook)))
      return gone.size > 0 && emptied(list, gone, undefined)
    })
    const space = spaceIn(before, memberOf(hooksBefore, key)?.value)
    return groups.length > 0 && emptied(value, new Set(groups), space)
  })
  const isGone =
    events.length > 0 && emptied(hooks.value, new Set(events), spaceIn(before, hooksBefore))
  if (isGone) emptied(root, new Set([hooks]), spaceIn(before, was) ?? '')
  return applyEdits(text, edits)
}

/** The white space in a container that holds nothing else. */
function spaceIn(text: string | undefined, node: JsonNode | undefined): string | undefined {
  if (node === undefined || node.kind === 'scalar' || childrenOf(node).length > 0) return undefined
  return text?.slice(node.start + 1, node.end - 1)
}

function isSameText(one: string, other: string | undefined): boolean {
  return other !== undefined && one.replaceAll(/\s/g, '') === other.replaceAll(/\s/g, '')
}

/** Undefined if the original text cannot be parsed. */
function parsed(text: string, manner: JsonDialect): JsonNode | undefined {
  try {
    return parseJsonText(text, manner)
  } catch {
    return undefined
  }
}
