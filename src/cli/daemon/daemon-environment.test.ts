import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { daemonEnvironment } from './daemon-environment.ts'

const source = fileURLToPath(new URL('../..', import.meta.url))

/** These describe the daemon's own surroundings, so it must not inherit them. */
const NOT_INHERITED = ['TMUX', 'TRAILBOSS_REPORT_FILE', 'TRAILBOSS_ROOT']

test('every variable that the daemon or an adapter reads is passed on', () => {
  const read = ['config', 'daemon', 'harness', 'tmux']
    .flatMap((folder) =>
      readdirSync(join(source, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
        join(source, folder, name),
      ),
    )
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/\benv\['([A-Z_]+)'\]/g)])
    .map(([, name = '']) => name)
  expect(read).toContain('CODEX_HOME')
  const wanted = [...new Set(read)].filter((name) => !NOT_INHERITED.includes(name))
  const passed = daemonEnvironment(Object.fromEntries(wanted.map((name) => [name, 'x'])))
  expect(Object.keys(passed).toSorted()).toEqual(wanted.toSorted())
})

test('nothing else is passed on', () => {
  const strange = {
    ANTHROPIC_API_KEY: 'x',
    TRAILBOSS_BRIDGE_TOKEN: 'x',
    TRAILBOSS_ROOT: 'x',
    TMUX: 'x',
    TMUX_PANE: 'x',
    NODE_OPTIONS: 'x',
    XDG_SESSION_ID: 'x',
  }
  expect(daemonEnvironment({ ...strange, HOME: '/home/op' })).toEqual({ HOME: '/home/op' })
})
