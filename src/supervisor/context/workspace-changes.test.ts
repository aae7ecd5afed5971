import * as v from 'valibot'
import { expect, test } from 'vitest'
import { WorkspacesSchema } from '../../config/workspaces.ts'
import { changeWords, workspaceChanges } from './workspace-changes.ts'

const config = (workspaces: object) => v.parse(WorkspacesSchema, workspaces)
const NONE = { added: [], removed: [], changed: [] }
const harness = 'mule'
const ranch = { directories: ['/r'], roles: { lead: { harness }, hand: { harness } } }
const before = config({ ranch })
const changes = (after: object) => workspaceChanges(before, config(after))

test('equal configurations have no changes', () => {
  expect(changes({ ranch: { ...ranch, policy: 'escalate' } })).toEqual({
    workspaces: NONE,
    agents: NONE,
  })
  expect(changeWords(changes({ ranch }))).toEqual([])
})

test('workspaces and their agents are added and removed', () => {
  const farm = { directories: ['/f'], roles: { farmer: { harness } } }
  expect(changes({ farm })).toEqual({
    workspaces: { ...NONE, added: ['farm'], removed: ['ranch'] },
    agents: { ...NONE, added: ['farm/farmer'], removed: ['ranch/lead', 'ranch/hand'] },
  })
})

test('an agent has changed if it would be started in another way', () => {
  const roles = { ...ranch.roles, lead: { harness, command: ['mule', '--stubborn'] } }
  expect(changes({ ranch: { ...ranch, roles } })).toEqual({
    workspaces: NONE,
    agents: { ...NONE, changed: ['ranch/lead'] },
  })
  const harnesses = { [harness]: { env: { A: '1' } } }
  expect(changes({ ranch: { ...ranch, harnesses } }).agents.changed).toEqual([
    'ranch/lead',
    'ranch/hand',
  ])
  expect(changes({ ranch: { ...ranch, directories: ['/r2', '/r'] } }).agents.changed).toHaveLength(
    2,
  )
})

test('who leads and who reviews changes only the workspace', () => {
  const changed = changes({ ranch: { ...ranch, orchestrator: 'lead', reviewer: 'hand' } })
  expect(changed).toEqual({ workspaces: { ...NONE, changed: ['ranch'] }, agents: NONE })
  expect(changeWords(changed)).toEqual(['workspaces changed: ranch'])
})
