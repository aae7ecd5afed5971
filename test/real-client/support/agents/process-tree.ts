import { execFileSync } from 'node:child_process'
import { isAlive } from '../../../support/processes.ts'
import type { PaneProgram } from './pane-program.ts'

/** A program that runs in processes that it started itself: they outlive the first one. */
export type ProcessTree = Pick<PaneProgram, 'kill' | typeof Symbol.asyncDispose> & {
  /** To all of its processes but the one that the shell waits for. */
  signal(signal: NodeJS.Signals): Promise<void>
}

export function processTree(program: PaneProgram): ProcessTree {
  const { pid } = program
  const signalChildren = async (signal: NodeJS.Signals) => {
    for (const one of childrenOf(pid)) if (isAlive(one)) process.kill(one, signal)
  }
  return {
    signal: signalChildren,
    kill: async (signal) => {
      await signalChildren(signal)
      if (isAlive(pid)) process.kill(pid, signal)
      await program.ended()
    },
    [Symbol.asyncDispose]: async () => {
      await signalChildren('SIGKILL')
      await program[Symbol.asyncDispose]()
    },
  }
}

function childrenOf(pid: number): number[] {
  try {
    const children = execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
    const direct = children.trim().split('\n').filter(Boolean).map(Number)
    return [...direct.flatMap(childrenOf), ...direct]
  } catch {
    return []
  }
}
