import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { HEARTBEAT_STATUSES } from '../core/bridge/heartbeat.ts'
import { BRIDGE_BODIES, BRIDGE_TOOLS, isBridgeTool } from './bridge-tools.ts'

describe('a tool of the bridge', () => {
  test.each(BRIDGE_TOOLS)('$name accepts what its schema says', ({ name, inputSchema }) => {
    const { properties, required } = inputSchema
    expect(Object.keys(properties).toSorted()).toEqual(Object.keys(fieldsOf(name)).toSorted())
    const needed = { thread: 'th_1', text: 'x', status: 'idle', agent: 'reviewer', reason: 'x' }
    const least = Object.fromEntries(
      required.map((field) => [field, needed[field as keyof typeof needed]]),
    )
    expect(v.is(BRIDGE_BODIES[name], least)).toBe(true)
    expect(v.is(BRIDGE_BODIES[name], { ...least, author: 'ranch/reviewer' })).toBe(false)
  })

  test('lists every status', () => {
    const schema = BRIDGE_TOOLS.find(({ name }) => name === 'heartbeat_session')?.inputSchema
    expect(schema?.properties['status']).toMatchObject({ enum: [...HEARTBEAT_STATUSES] })
  })

  test('has one of these names, and none that every object has', () => {
    expect(BRIDGE_TOOLS.map(({ name }) => name).every(isBridgeTool)).toBe(true)
    expect(['toString', '__proto__', '', 'read'].some(isBridgeTool)).toBe(false)
  })
})

function fieldsOf(name: keyof typeof BRIDGE_BODIES): object {
  return BRIDGE_BODIES[name].entries
}
