import { dirname } from 'node:path'
import { type JsonNode, memberOf, parseJsonText } from '../config-edit/json-text.ts'
import { addHooks, type HookFormat, removeHooks } from '../hook-install/hook-edit.ts'
import { hookCheck } from './hook-check.ts'
import { hookedEvents } from './hooked-events.ts'
import { inFile, isFound, reverted } from './settings.ts'
import type { Site, Wiring } from './wiring.ts'

/** A harness whose hooks are in one of the user's settings files. */
export type HookSettings = {
  manner: HookFormat
  events: readonly string[]
  /** The path of that file. */
  path(site: Site): string
  /** Settings that keep our hooks from running, as sentences. An unreadable file yields none. */
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
    runsHooks: (site) =>
      hookedEvents(site, pathFor(site), manner).size > 0 && obstacles(site).length === 0,
  }
}

export const TAKEN_UP_AT_START = 'Running sessions pick them up when they restart.'

export function hooksRun(events: readonly string[], { emitter }: Site): string {
  return `  ${events.length} hooks run ${emitter.program}`
}

/** A settings file's value under this name; undefined if the file cannot be read. */
export function settingIn(
  site: Site,
  path: string,
  key: string,
  manner: HookFormat,
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
