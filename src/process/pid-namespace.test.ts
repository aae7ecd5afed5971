import { spawn, spawnSync } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createStatusScene, type StatusScene } from '../../test/support/daemon/status-scene.ts'
import { waitFor } from '../../test/support/wait-for.ts'
import { sessionKey } from '../core/session/event.ts'
import { statusSource } from '../harness/claude-code/status.ts'
import { childListOf, childrenIn } from './ancestry.ts'
import { innerPidOf, outerPidOf } from './pid-namespace.ts'
import { startOf } from './process-state.ts'

const UNSHARE = ['--user', '--map-root-user', '--pid', '--fork', '--mount-proc']
const canUnshare = spawnSync('unshare', [...UNSHARE, 'true']).status === 0

describe.runIf(canUnshare)('a process in its own PID namespace', () => {
  let it: StatusScene
  let shell: number
  let agent: number
  let end: () => void

  beforeEach(async () => {
    it = createStatusScene()
    const child = spawn('sh', ['-c', `unshare ${UNSHARE.join(' ')} sleep 60; :`], {
      detached: true,
      stdio: 'ignore',
    })
    shell = child.pid ?? 0
    end = () => process.kill(-shell, 'SIGKILL')
    const childOf = (pid: number) => childrenIn(childListOf(pid).trim())[0]
    agent = await waitFor(() => childOf(childOf(shell) ?? 0) ?? 0, { what: 'the agent' })
    await waitFor(() => innerPidOf(agent), { what: 'its pid in there', until: (pid) => pid === 1 })
  })
  afterEach(() => {
    end()
    it[Symbol.dispose]()
  })

  test('is found by the pid that it reports', () => {
    expect(innerPidOf(process.pid)).toBeUndefined()
    expect(outerPidOf(1, shell)).toBe(agent)
    expect(outerPidOf(agent, shell)).toBe(agent)
    expect(outerPidOf(77, shell)).toBe(77)
    expect(outerPidOf(1, undefined)).toBe(1)
  })

  const session = () => it.world.herd.session(sessionKey('claude-code', 's'))

  test('reports in a file named after that pid', async () => {
    const file = it.publish('waiting', { pid: 1, procStart: String(startOf(agent)) })
    it.follower.sweep()
    expect(session()).toBeUndefined()
    expect(it.follower.isPublished(file)).toBe(false)
    it.follower.adopt(file, statusSource, agent)
    expect(session()).toMatchObject({ pid: agent, verdict: { state: 'stuck', by: 'status' } })
    expect(it.follower.isPublished(file)).toBe(true)
    it.publish('busy', { pid: 1, procStart: String(startOf(agent)) })
    await it.becomes('working')
  })

  test('counts even if the file comes later, but not if it belongs to another process', async () => {
    const file = it.publish('waiting', { pid: 1, procStart: '1' })
    it.follower.adopt(file, statusSource, agent)
    expect(session()).toBeUndefined()
    expect(it.follower.isPublished(file)).toBe(false)
    it.publish('waiting', { pid: 1, procStart: String(startOf(agent)) })
    await it.becomes('stuck')
  })
})
