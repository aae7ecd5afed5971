import { createInterface } from 'node:readline/promises'
import { launcherPath } from '../../config/installation.ts'
import { hasColor } from '../../text/paint.ts'
import { note, print, printVerbatim } from '../context/output.ts'

/** What an installer needs from its surroundings. */
export type InstallIo = {
  env: NodeJS.ProcessEnv
  /** Absolute path of the `trailboss` program. */
  launcher: string
  print(text: string): void
  /** Prints text that somebody may copy, verbatim. */
  printFile(text: string): void
  note(text: string): void
  showDiff(diff: string): void
  /** Absent when nobody is there to answer. */
  confirm?: (question: string) => Promise<boolean>
}

export function terminalIo(): InstallIo {
  const interactive = process.stdin.isTTY && process.stderr.isTTY
  return {
    env: process.env,
    launcher: launcherPath(),
    print,
    printFile: printVerbatim,
    note,
    showDiff: (diff) =>
      printVerbatim(hasColor(process.stderr) ? colored(diff) : diff, process.stderr),
    ...(interactive && { confirm: askInTerminal }),
  }
}

function colored(diff: string): string {
  return diff.replace(/^(?:---|\+\+\+|@@|\+|-).*$/gm, (line) => {
    if (/^(?:---|\+\+\+) /.test(line)) return `\x1b[1m${line}\x1b[0m`
    if (line.startsWith('@@')) return `\x1b[36m${line}\x1b[0m`
    return `\x1b[${line.startsWith('+') ? 32 : 31}m${line}\x1b[0m`
  })
}

async function askInTerminal(question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await answerInTerminal(`${question} [y/N] `))?.trim() ?? '')
}

/** Undefined if the terminal is closed instead of an answer. */
export async function answerInTerminal(question: string): Promise<string | undefined> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    terminal.once('SIGINT', () => {
      process.stderr.write('\nInterrupted. Nothing more was changed.\n')
      process.exit(130)
    })
    const closed = new Promise<undefined>((resolve) =>
      terminal.once('close', () => resolve(undefined)),
    )
    return await Promise.race([terminal.question(question), closed])
  } finally {
    terminal.close()
  }
}
