#!/usr/bin/env node
/**
 * A small program with a composer that looks like Claude Code's, for deliveries under faults. It writes
 * down by itself all that it received, so that nobody's log has to vouch for itself.
 *
 *   fake-agent.mjs --log FILE --faults FILE --emit PROGRAM --transcript FILE [--resume ID | --session-id ID] [prompt]
 *
 * The faults file is read again whenever it changes: {"eatEnter": 2, "eatPaste": 1, "shows": "dialog" |
 * "picker", "slowMs": 300, "workMs": 50, "dieOn": "paste" | "enter"}.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, readFileSync, statSync } from 'node:fs'
import { parseArgs } from 'node:util'

const text = { type: 'string' }
const { values: options, positionals } = parseArgs({
  options: {
    log: text,
    faults: text,
    emit: text,
    transcript: text,
    resume: text,
    'session-id': text,
  },
  allowPositionals: true,
  // What a harness is launched with besides is none of its business.
  strict: false,
})
const session = options.resume ?? options['session-id'] ?? randomUUID()
const PASTE_START = '\x1b[200~'
const PASTE_END = '\x1b[201~'

let faults = {}
let faultsReadAt = 0
let draft = ''
let isWorking = false
let isPasting = false
let answer = ''

function log(entry) {
  appendFileSync(options.log, `${JSON.stringify({ at: Date.now(), session, ...entry })}\n`)
}

function readFaults() {
  const changedAt = statSync(options.faults, { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (changedAt === faultsReadAt) return
  faultsReadAt = changedAt
  faults = changedAt === 0 ? {} : JSON.parse(readFileSync(options.faults, 'utf8'))
  draw()
}

/** Whether one of so many is left to be eaten. */
function eats(what) {
  if (!(faults[what] > 0)) return false
  faults[what] -= 1
  log({ kind: 'ate', what })
  return true
}

function emit(name, fields) {
  const payload = JSON.stringify({
    session_id: session,
    transcript_path: options.transcript,
    cwd: process.cwd(),
    hook_event_name: name,
    ...fields,
  })
  const child = spawn(options.emit, ['claude-code'], { stdio: ['pipe', 'ignore', 'ignore'] })
  child.stdin.on('error', () => {})
  child.stdin.end(payload)
}

function record(type, content) {
  const line = { type, sessionId: session, uuid: randomUUID(), timestamp: new Date().toISOString() }
  const message = { role: type, content }
  appendFileSync(options.transcript, `${JSON.stringify({ ...line, message })}\n`)
}

function submit(prompt) {
  log({ kind: 'submitted', text: prompt })
  isWorking = true
  draw()
  record('user', prompt)
  emit('UserPromptSubmit', { prompt })
  setTimeout(() => {
    answer = `Took ${prompt.length} characters.`
    record('assistant', [{ type: 'text', text: answer }])
    emit('Stop', { last_assistant_message: answer, stop_hook_active: false })
    isWorking = false
    draw()
  }, faults.workMs ?? 50)
}

function enter() {
  if (faults.dieOn === 'enter') process.exit(1)
  if (faults.shows) return log({ kind: 'misdirected', what: 'Enter', into: faults.shows })
  if (eats('eatEnter') || draft.trim() === '') return
  const prompt = draft
  draft = ''
  submit(prompt)
}

function pasted(piece) {
  if (faults.dieOn === 'paste') process.exit(1)
  if (faults.shows) return log({ kind: 'misdirected', what: piece, into: faults.shows })
  if (eats('eatPaste')) return
  draft += piece
}

function typed(piece) {
  for (const key of piece) {
    if (key === '\r') enter()
    else if (key === '\x03') process.exit(0)
    else if (key === '\x7f') draft = draft.slice(0, -1)
    else if (key >= ' ') draft += key
  }
}

function receive(chunk) {
  let rest = chunk
  while (rest !== '') {
    const mark = isPasting ? PASTE_END : PASTE_START
    const at = rest.indexOf(mark)
    const piece = at === -1 ? rest : rest.slice(0, at)
    if (piece !== '') (isPasting ? pasted : typed)(piece)
    if (at === -1) break
    isPasting = !isPasting
    rest = rest.slice(at + mark.length)
  }
  draw()
}

const DIALOG = [
  ' Bash command',
  '   touch fence',
  ' Do you want to proceed?',
  ' ❯ 1. Yes',
  '   2. No',
  '',
  ' Esc to cancel · Tab to amend',
]

function lines(width) {
  const rule = '─'.repeat(width)
  if (faults.shows === 'dialog') return [rule, ...DIALOG]
  const composer = [rule, `❯ ${draft}`, rule]
  if (faults.shows === 'picker') return [...composer, '  /clear      Start over', '  /compact']
  const work = isWorking ? ['✻ Working… (1s · esc to interrupt)', ''] : []
  return [answer && `● ${answer}`, '', ...work, ...composer, '  ? for shortcuts']
}

function draw() {
  const { columns = 80 } = process.stdout
  const shown = lines(columns)
  const row = shown.findIndex((line) => line.startsWith('❯ ')) + 1
  const cells = 2 + draft.length
  const place =
    row > 0
      ? `\x1b[${row + Math.floor(cells / columns)};${(cells % columns) + 1}H\x1b[?25h`
      : '\x1b[?25l'
  process.stdout.write(`\x1b[2J\x1b[H${shown.join('\r\n')}${place}`)
}

process.stdin.setRawMode(true).setEncoding('utf8')
process.stdout.write('\x1b[?2004h')
process.on('SIGHUP', () => process.exit(129))
log({ kind: 'started', pid: process.pid, resumed: options.resume !== undefined })
setTimeout(() => {
  emit('SessionStart', { source: options.resume ? 'resume' : 'startup' })
  process.stdin.on('data', (chunk) => setTimeout(() => receive(chunk), faults.slowMs ?? 0))
  setInterval(readFaults, 20)
  readFaults()
  draw()
  if (positionals[0]) submit(positionals[0])
}, 50)
