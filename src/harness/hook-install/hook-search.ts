import { TrailBossError } from '../../core/errors.ts'
import { type JsonContainer, type JsonNode, memberOf, placeIn } from '../config-edit/json-text.ts'
import { emitterIn } from './emitter-command.ts'

/** A hook that runs the emitter: `{hooks: {Stop: [{hooks: [{type, command}]}]}}`. */
export type OurHook = {
  event: string
  hook: JsonContainer
  command: { start: number; end: number; value: string }
}

/** In the order of the file. */
export function findOurHooks(root: JsonNode, harness: string): OurHook[] {
  const hooks = memberOf(root, 'hooks')?.value
  if (hooks?.kind !== 'object') return []
  return hooks.members.flatMap(({ key: event, value }) =>
    itemsOf(value)
      .flatMap((group) => itemsOf(memberOf(group, 'hooks')?.value))
      .flatMap((hook) => {
        const command = memberOf(hook, 'command')?.value
        if (hook.kind !== 'object' || command?.kind !== 'scalar') return []
        const { start, end, value: text } = command
        if (typeof text !== 'string' || emitterIn(text, harness) === undefined) return []
        return [{ event, hook, command: { start, end, value: text } }]
      }),
  )
}

/** Throws `BAD_USAGE` if the file contains something that its program would not accept. */
export function requireHookLists(
  text: string,
  root: JsonNode,
  { events, title }: { events: readonly string[]; title: string },
): asserts root is Extract<JsonNode, { kind: 'object' }> {
  if (root.kind !== 'object') {
    throw unfit(text, root, 'the settings are not an object', 'Settings begin with a {.')
  }
  requireOnce(text, root, 'hooks', title)
  const hooks = memberOf(root, 'hooks')?.value
  if (hooks === undefined) return
  if (hooks.kind !== 'object') {
    const hint = `${title} ignores it. Make it an object, {}, or take it out.`
    throw unfit(text, hooks, '"hooks" is not an object', hint)
  }
  for (const event of events) {
    requireOnce(text, hooks, event, title)
    const list = memberOf(hooks, event)?.value
    if (list === undefined || list.kind === 'array') continue
    const hint = `${title} ignores it. Make it a list, [], or take it out.`
    throw unfit(text, list, `the hooks for ${event} are not a list`, hint)
  }
}

/** The last of two counts; a change to either would surprise its owner. */
function requireOnce(text: string, node: JsonNode, key: string, title: string): void {
  const [first, second] =
    node.kind === 'object' ? node.members.filter((member) => member.key === key) : []
  if (first === undefined || second === undefined) return
  const hint = `The other one: ${placeIn(text, first.start)}. ${title} reads only the last; make them one.`
  throw unfit(text, second, `"${key}" is there twice`, hint)
}

function itemsOf(node: JsonNode | undefined): JsonNode[] {
  return node?.kind === 'array' ? node.items : []
}

function unfit(text: string, at: { start: number }, what: string, hint: string): TrailBossError {
  return new TrailBossError('BAD_USAGE', `${placeIn(text, at.start)}: ${what}.`, { hint })
}
