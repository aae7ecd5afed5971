import { describe, expect, test } from 'vitest'
import { NOW, queueItem } from '../../../test/support/views/queue-item.ts'
import { widthOf } from '../../text/columns.ts'
import { queueTable } from './queue-table.ts'

const api = { project: 'api', branch: 'main', window: 'work:api' }
const items = [
  queueItem('a1', { ...api, title: 'Fix the login' }),
  queueItem('a2', { ...api, branch: 'fix-login', worktree: 'api-2', window: 'work:2' }),
  queueItem('a3', { ...api, window: 'work:3' }),
  queueItem('a4', { project: 'web', branch: 'main', window: 'web:0' }),
  queueItem('a5', { agent: 'ranch/lead', project: 'ranch' }),
  queueItem('a6', { project: 'ranch', pane: null }),
]
const at = (width: number) => queueTable(items, { now: NOW, width })

describe('the queue as a table', () => {
  test('on 60 columns has names alone', () => {
    expect(at(60)).toMatchInlineSnapshot(`
      "   AGE  PROJECT            WHY       ASK
      1  4m   api main work:api  finished  ask of a1
      2  4m   api fix-login      finished  ask of a2
      3  4m   api main work:3    finished  ask of a3
      4  4m   web                finished  ask of a4
      5  4m   ranch/lead         finished  ask of a5
      6  4m   ranch              finished  ask of a6"
    `)
  })

  test('on 80 columns has the harness and the pane, too', () => {
    expect(at(80)).toMatchInlineSnapshot(`
      "   AGE  HARNESS      PROJECT            WHY       PANE     ASK
      1  4m   claude-code  api main work:api  finished  %1       ask of a1
      2  4m   claude-code  api fix-login      finished  %2       ask of a2
      3  4m   claude-code  api main work:3    finished  %3       ask of a3
      4  4m   claude-code  web                finished  %4       ask of a4
      5  4m   claude-code  ranch/lead         finished  %5       ask of a5
      6  4m   claude-code  ranch              finished  no pane  ask of a6"
    `)
  })

  test('on 120 columns has a column for the branch and for the window', () => {
    expect(at(120)).toMatchInlineSnapshot(`
      "   AGE  HARNESS      PROJECT     BRANCH     WHY       WHERE        ASK
      1  4m   claude-code  api         main       finished  work:api %1  ask of a1
      2  4m   claude-code  api         fix-login  finished  work:2 %2    ask of a2
      3  4m   claude-code  api         main       finished  work:3 %3    ask of a3
      4  4m   claude-code  web         main       finished  web:0 %4     ask of a4
      5  4m   claude-code  ranch/lead  -          finished  %5           ask of a5
      6  4m   claude-code  ranch       -          finished  no pane      ask of a6"
    `)
  })

  test('on 200 columns has the title', () => {
    expect(at(200)).toMatchInlineSnapshot(`
      "   AGE  HARNESS      PROJECT     BRANCH     TITLE          WHY       WHERE        ASK
      1  4m   claude-code  api         main       Fix the login  finished  work:api %1  ask of a1
      2  4m   claude-code  api         fix-login  -              finished  work:2 %2    ask of a2
      3  4m   claude-code  api         main       -              finished  work:3 %3    ask of a3
      4  4m   claude-code  web         main       -              finished  web:0 %4     ask of a4
      5  4m   claude-code  ranch/lead  -          -              finished  %5           ask of a5
      6  4m   claude-code  ranch       -          -              finished  no pane      ask of a6"
    `)
  })

  test('in a pipe has everything, whole', () => {
    const long = 'a-very-long-name-that-would-leave-no-room-on-a-terminal'
    const all = { project: long, branch: long, window: `work:${long}`, title: long, program: long }
    const piped = queueTable([queueItem('a1', all)], { now: NOW })
    expect(piped.split(long)).toHaveLength(6)
  })

  test('names a tool once', () => {
    const ask = (text: string) => queueItem('a1', { ask: { tool: 'Bash', text } })
    const listed = (text: string) => queueTable([ask(text)], { now: NOW, width: 80 })
    expect(listed('Bash · make')).not.toContain('Bash: Bash')
    expect(listed('make')).toContain('Bash: make')
  })

  test('has no branch column if there is no repository', () => {
    expect(queueTable([queueItem('a1')], { now: NOW, width: 200 })).not.toMatch(/BRANCH|TITLE/)
  })

  test.each([60, 80, 100, 120, 200])(
    'on %i columns tells apart what differs only a little',
    (width) => {
      const long = 'a-very-long-name-that-leaves-no-room-for-anything-else'
      const same = { project: long, branch: long, worktree: long, window: long, title: long }
      const alike = ['b1', 'b2', 'b3'].map((session) =>
        queueItem(session, { ...same, pane: null, ask: { text: 'Same.' } }),
      )
      const rows = queueTable(alike, { now: NOW, width }).split('\n').slice(1)
      // Its number tells nothing: it changes.
      expect(new Set(rows.map((row) => row.slice(1))).size).toBe(3)
      expect(rows.every((row) => widthOf(row) <= width)).toBe(true)
    },
  )
})
