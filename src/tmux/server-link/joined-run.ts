import { randomUUID } from 'node:crypto'
import { type RunCommands, runCommands, type TmuxResult } from '../exec.ts'

type Commands = Parameters<RunCommands>[1]
type Asked = { commands: Commands; answer(result: TmuxResult): void }

/** tmux accepts about 16,000 bytes from the command line (3.3a: `MAX_IMSGSIZE`). */
const MOST_BYTES = 15_000

/**
 * Uses one process for all simultaneous requests to a server. If one of several requests fails, each runs again
 * by itself, so every request must be safe to run twice.
 */
export function createJoinedRun(run: RunCommands = runCommands): RunCommands {
  const waiting = new Map<string, Asked[]>()
  const start = (socket: string) => {
    const asked = waiting.get(socket) ?? []
    waiting.delete(socket)
    for (const group of groupsOf(asked)) void runGroup(socket, group, run)
  }
  return (socket, commands) =>
    new Promise((answer) => {
      const others = waiting.get(socket)
      if (!others) setImmediate(() => start(socket))
      waiting.set(socket, [...(others ?? []), { commands, answer }])
    })
}

async function runGroup(socket: string, group: readonly Asked[], run: RunCommands): Promise<void> {
  const results = await runJoined(socket, group, run)
  for (const [index, { commands, answer }] of group.entries()) {
    answer(results?.[index] ?? (await run(socket, commands)))
  }
}

/** Undefined if each needs its own process. */
async function runJoined(
  socket: string,
  group: readonly Asked[],
  run: RunCommands,
): Promise<TmuxResult[] | undefined> {
  if (group.length === 1) return undefined
  // Nothing that a pane shows can look like it.
  const end = `end-${randomUUID()}`
  const commands = group.flatMap((one) => [...one.commands, ['display-message', '-p', end]])
  const result = await run(socket, commands)
  if (!result.ok) return result.kind === 'failed' ? undefined : group.map(() => result)
  const outputs = `\n${result.stdout}`.split(`\n${end}`).slice(0, -1)
  if (outputs.length !== group.length) return undefined
  return outputs.map((output) => ({ ok: true, stdout: output.slice(1) }))
}

function groupsOf(asked: readonly Asked[]): Asked[][] {
  const groups: { members: Asked[]; bytes: number }[] = []
  for (const one of asked) {
    const bytes = bytesOf(one.commands)
    const last = groups.at(-1)
    if (last && last.bytes + bytes <= MOST_BYTES) {
      last.members.push(one)
      last.bytes += bytes
    } else groups.push({ members: [one], bytes })
  }
  return groups.map(({ members }) => members)
}

const END_BYTES = 64

function bytesOf(commands: Commands): number {
  const words = commands.flat()
  return words.reduce((sum, word) => sum + Buffer.byteLength(word) + 3, END_BYTES)
}
