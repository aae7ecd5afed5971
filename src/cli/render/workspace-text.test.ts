import { expect, test } from 'vitest'
import type { WorkspacesReloadView } from '../../contract/workspaces.ts'
import { reloadText, workspaceTable } from './workspace-text.ts'

const NONE = { added: [], removed: [], changed: [] }
const VIEW: WorkspacesReloadView = {
  file: '/home/op/config.json',
  known: ['ranch'],
  workspaces: NONE,
  agents: NONE,
  running: [],
  restart: [],
}
const textOf = (view: Partial<WorkspacesReloadView>) => reloadText({ ...VIEW, ...view }, { now: 0 })

test('a reload says what has changed, what still runs, and what needs a restart', () => {
  const text = textOf({
    workspaces: { ...NONE, changed: ['ranch'] },
    agents: { added: ['ranch/new'], removed: ['ranch/old'], changed: ['ranch/lead'] },
    running: ['ranch/lead', 'ranch/old'],
    restart: ['port', 'logLevel'],
  })
  expect(text).toBe(`The daemon has read /home/op/config.json again: it knows ranch.
  workspaces changed  ranch
  agents added        ranch/new
  agents changed      ranch/lead
  agents removed      ranch/old
ranch/lead: still running as before. To start it in the new way: trailboss runtime restart ranch/lead
ranch/old: still running. To end it: trailboss runtime stop ranch/old
Other settings have changed, too: port, logLevel. They need a restart: trailboss restart`)
})

test('a reload without a change says so', () => {
  expect(textOf({})).toContain('Nothing has changed in its workspaces.')
  expect(textOf({ known: [] })).toContain('it knows no workspace')
})

test('the list has a line for each workspace', () => {
  const roles = { lead: 'mule', hand: 'ox' }
  const ranch = {
    name: 'ranch',
    directories: ['/a', '/b'],
    roles,
    orchestrator: 'lead',
    reviewer: null,
  }
  const empty = { name: 'farm', directories: ['/c'], roles: {}, orchestrator: null, reviewer: null }
  expect(workspaceTable([ranch, empty], { now: 0 }).split('\n')).toEqual([
    'WORKSPACE  ROLES                   ORCHESTRATOR  REVIEWER  DIRECTORIES',
    'ranch      lead (mule), hand (ox)  lead          -         /a, /b',
    'farm       -                       -             -         /c',
  ])
})
