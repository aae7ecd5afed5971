import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { resolvePaths } from '../../../config/paths.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { paintFor } from '../../../text/paint.ts'
import { upTo } from '../../context/option-values.ts'
import { print, printJsonLine } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { logLineText, parseLogLine } from '../../render/log-lines.ts'

type LogsOptions = { lines: number; follow?: boolean; json?: boolean }

const FOLLOW_MS = 200
const CHUNK_BYTES = 64 * 1024

/** Reads the file, so that it also works while the daemon is down. */
export function addTo(program: Command): void {
  addCommand(program, 'logs', "show the end of the daemon's log", logs)
    .option('-f, --follow', 'keep printing new lines until interrupted')
    .option('-n, --lines <n>', 'how many lines', upTo(100_000), 50)
}

async function logs(options: LogsOptions): Promise<void> {
  const { log } = resolvePaths()
  const say = options.json ? printRaw : printReadable
  const fd = opened(log)
  if (fd === undefined && !options.follow) {
    throw new TrailBossError('NOT_FOUND', `There is no log yet: ${log}`, {
      hint: 'The daemon writes it: trailboss up',
    })
  }
  const bytes = fd === undefined ? Buffer.alloc(0) : readFrom(fd, 0)
  const lines = linesOf(bytes)
  // After a rotation the latest lines may be in the older file.
  const older = lines.length < options.lines ? linesOf(bytesOf(`${log}.1`)) : []
  for (const line of [...older, ...lines].slice(-options.lines)) say(line)
  if (options.follow) await follow(log, { fd, position: bytes.length }, say)
}

function printReadable(line: string): void {
  print(logLineText(parseLogLine(line), new Date(), paintFor()))
}

function printRaw(line: string): void {
  const { fields } = parseLogLine(line)
  printJsonLine(fields ?? { msg: line })
}

/** Until it is interrupted or its output is closed. After a rotation it continues with the new log. */
async function follow(
  file: string,
  from: { fd: number | undefined; position: number },
  say: (line: string) => void,
): Promise<never> {
  process.stdout.on('error', () => process.exit(0))
  let { fd, position } = from
  let rest: Buffer = Buffer.alloc(0)
  while (true) {
    fd ??= opened(file)
    if (fd !== undefined) {
      const isCurrent = inodeOf(file) === fstatSync(fd).ino
      const bytes = readFrom(fd, position)
      position += bytes.length
      const text = Buffer.concat([rest, bytes])
      const end = text.lastIndexOf('\n') + 1
      for (const line of linesOf(text.subarray(0, end))) say(line)
      rest = text.subarray(end)
      if (!isCurrent) {
        closeSync(fd)
        fd = undefined
        position = 0
        rest = Buffer.alloc(0)
        continue
      }
    }
    await delay(FOLLOW_MS)
  }
}

function readFrom(fd: number, position: number): Buffer {
  const chunks: Buffer[] = []
  while (true) {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    const at = position + chunks.reduce((sum, { length }) => sum + length, 0)
    const length = readSync(fd, chunk, 0, CHUNK_BYTES, at)
    if (length === 0) return Buffer.concat(chunks)
    chunks.push(chunk.subarray(0, length))
  }
}

function linesOf(bytes: Buffer): string[] {
  return bytes.toString('utf8').split('\n').filter(Boolean)
}

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch {
    return Buffer.alloc(0)
  }
}

function opened(file: string): number | undefined {
  try {
    return openSync(file, 'r')
  } catch {
    return undefined
  }
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino
}
