import { createInterface } from 'node:readline/promises'
import { note, print } from './output.ts'
import { launcherPath } from './root.ts'

/** What an installer needs of its surroundings. */
export type InstallIo = {
  env: NodeJS.ProcessEnv
  /** Absolute path of the `trailboss` program. */
  launcher: string
  print(text: string): void
  note(text: string): void
  /** Absent when nobody is there to answer. */
  confirm?: (question: string) => Promise<boolean>
}

export function terminalIo(): InstallIo {
  const interactive = process.stdin.isTTY && process.stderr.isTTY
  return {
    env: process.env,
    launcher: launcherPath(),
    print,
    note,
    ...(interactive && { confirm: askInTerminal }),
  }
}

async function askInTerminal(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
    const answer = await Promise.race([terminal.question(`${question} [y/N] `), closed])
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}
