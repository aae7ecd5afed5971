import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readlinkSync } from 'node:fs'
import { afterEach } from 'vitest'
import { TRAILBOSS, type World } from './create-world.ts'

type Ended = { code: number | null; stdout: string; stderr: string }

// Before the world checks that nothing is left of it.
const started: ChildProcess[] = []
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

/** A command of ours that takes its time, as a script would run it. It is killed with the test. */
export function startScript(world: World, ...args: string[]) {
  const child = spawn(TRAILBOSS, args, { env: world.env, cwd: world.dir })
  started.push(child)
  const out = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (data: Buffer) => {
      out[name] += data.toString()
    })
  }
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => resolve({ code, ...out }))
  })
  return { child, out, ended, connections: () => connectionsOf(child) }
}

/** Pipes to a child are sockets, too. */
const STDIO = 3

/** How many sockets it has open. */
function connectionsOf({ pid }: ChildProcess): number {
  const fds = `/proc/${pid}/fd`
  return readdirSync(fds).filter((fd) => isSocket(`${fds}/${fd}`)).length - STDIO
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('socket:')
  } catch {
    // It was closed just now.
    return false
  }
}
