import { dirname } from 'node:path'
import { type JsonNode, memberOf, parseJsonText } from '../edit/json-text.ts'
import { addHooks, type HookManner, removeHooks } from '../hooks/hook-edit.ts'
import { hookCheck } from './hook-check.ts'
import { hookedEvents } from './hooked-events.ts'
import { inFile, isFound, reverted } from './settings.ts'
import type { Site, Wiring } from './wiring.ts'

/** A harness whose hooks are in one settings file of the user's. */
export type HookSettings = {
  manner: HookManner
  events: readonly string[]
  /** Where it has them. */
  path(site: Site): string
  /** Settings under which our hooks are not run, as sentences. A file that cannot be read says nothing. */
  obstacles(site: Site): string[]
}

export function hookWiring({ manner, events, path: pathFor, obstacles }: HookSettings): Wiring {
  const { harness, title } = manner
  return {
    isInUse: (site) => isFound(dirname(pathFor(site)), harness, site),
    install: {
      summary: `add the hooks to ${title}'s settings`,
      plan(site) {
        const path = pathFor(site)
        const request = { emitter: site.emitter, events, isComplete: true }
        const text = site.read(path)
        const after = inFile(path, title, () => addHooks(manner, text, request, site.before(path)))
        const keepsBefore = hookedEvents(site, path, manner).size === 0
        return {
          files: [path],
          writes: [{ path, after, keepsBefore }],
          done: [hooksRun(events, site)],
          effect: TAKEN_UP_AT_START,
          obstacles: obstacles(site),
        }
      },
    },
    uninstall: {
      summary: `remove the hooks from ${title}'s settings`,
      plan(site) {
        const path = pathFor(site)
        const changes = reverted(site, path, title, (text, before) =>
          removeHooks(manner, text, before),
        )
        return { files: [path], changes, place: path, made: [dirname(path)] }
      },
    },
    check(site) {
      const path = pathFor(site)
      const hooked = hookedEvents(site, path, manner)
      const off = hooked.size === 0 ? [] : obstacles(site)
      const install = `trailboss install ${harness}`
      return hookCheck({ name: title, path, hooked, expected: events, obstacles: off, install })
    },
  }
}

export const TAKEN_UP_AT_START = 'Running sessions pick them up when they restart.'

export function hooksRun(events: readonly string[], { emitter }: Site): string {
  return `  ${events.length} hooks run ${emitter.program}`
}

/** What a settings file has under this name, and nothing where it cannot be read. */
export function settingIn(
  site: Site,
  path: string,
  key: string,
  manner: HookManner,
): JsonNode | undefined {
  try {
    return memberOf(parseJsonText(site.read(path) ?? '', manner), key)?.value
  } catch {
    return undefined
  }
}

export function scalarOf(node: JsonNode | undefined): unknown {
  return node?.kind === 'scalar' ? node.value : undefined
}
