#!/usr/bin/env node
/**
 * A small program with a composer that looks like Claude Code's, for deliveries under faults. It
 * keeps its own record of everything it received, independent of the product's log.
 *
 *   fake-agent.mjs --log FILE --faults FILE --emit PROGRAM --transcript FILE [--resume ID | --session-id ID] [prompt]
 *
 * The faults file is read again whenever it changes: {"eatEnter": 2, "eatPaste": 1, "shows": "dialog" |
 * "picker", "slowMs": 300, "workMs": 50, "dieOn": "start" | "paste" | "enter", "mutesHooks": true,
 * "isStubborn": true}.
 * A prompt may say: "Ask first." (for permission), "Say: …" (its last words), "Then exit."
 * Each session has its own transcript, beside FILE.
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
  // Ignores what else a harness is launched with.
  strict: false,
})
const session = options.resume ?? options['session-id'] ?? randomUUID()
const transcript = `${options.transcript}.${session}.jsonl`
const PASTE_START = '\x1b[200~'
const PASTE_END = '\x1b[201~'

let faults = {}
let faultsReadAt = 0
/** Since when its dialog or picker is on the screen. */
let shownSince = 0
/** When the input arrived that it reads now, however late. */
let arrivedAt = 0
/** One that dies on its start never shows a composer. */
let isUp = false
let draft = ''
let isWorking = false
let isPasting = false
let answer = ''
/** What Enter does while it asks for permission. */
let answered
let hooks = Promise.resolve()

function log(entry) {
  appendFileSync(options.log, `${JSON.stringify({ at: Date.now(), session, ...entry })}\n`)
}

function readFaults() {
  const changedAt = statSync(options.faults, { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (changedAt === faultsReadAt) return
  faultsReadAt = changedAt
  const { shows } = faults
  faults = changedAt === 0 ? {} : JSON.parse(readFileSync(options.faults, 'utf8'))
  if (faults.shows !== shows) shownSince = performance.now()
  if (isUp) draw()
}

/** The faults may have been set a moment ago. */
function hangUp() {
  readFaults()
  if (!faults.isStubborn) process.exit(129)
}

/** Whether one more of these should be dropped. */
function eats(what) {
  if (!(faults[what] > 0)) return false
  faults[what] -= 1
  log({ kind: 'ate', what })
  return true
}

/**
 * Each begins when the one before it is over, and the turn waits for the hook of its prompt. The emitter takes
 * the time itself: a prompt reported after the end of its turn would begin another one.
 */
function emit(name, fields) {
  if (faults.mutesHooks && name !== 'SessionStart') return hooks
  const payload = JSON.stringify({
    session_id: session,
    transcript_path: transcript,
    cwd: process.cwd(),
    hook_event_name: name,
    ...fields,
  })
  hooks = hooks.then(() => runHook(payload))
  return hooks
}

/** The emitter's work may outlive it: it is over when nothing holds the last of these pipes any more. */
function runHook(payload) {
  return new Promise((resolve) => {
    const stdio = ['pipe', 'ignore', 'ignore', 'ignore', 'ignore', 'pipe']
    const child = spawn(options.emit, ['claude-code'], { stdio })
    child.on('error', resolve).on('close', resolve)
    child.stdio[5].resume()
    child.stdin.on('error', () => {})
    child.stdin.end(payload)
  })
}

function record(type, content) {
  const line = { type, sessionId: session, uuid: randomUUID(), timestamp: new Date().toISOString() }
  const message = { role: type, content }
  appendFileSync(transcript, `${JSON.stringify({ ...line, message })}\n`)
}

function submit(prompt) {
  log({ kind: 'submitted', text: prompt })
  isWorking = true
  draw()
  record('user', prompt)
  emit('UserPromptSubmit', { prompt }).then(() => {
    if (prompt.includes('Ask first.')) setTimeout(() => ask(prompt), faults.workMs ?? 50)
    else finish(prompt)
  })
}

/** Continues when Enter is pressed on its dialog. */
function ask(prompt) {
  const tool = { tool_name: 'Bash', tool_input: { command: 'touch fence' } }
  emit('PermissionRequest', tool)
  answered = () => {
    log({ kind: 'answered' })
    answered = undefined
    emit('PostToolUse', tool)
    finish(prompt)
  }
  draw()
}

function finish(prompt) {
  setTimeout(() => {
    answer =
      /Say: (.*?)(?: \[\/BRIDGE_TRIGGER\])?$/m.exec(prompt)?.[1] ??
      `Took ${prompt.length} characters.`
    record('assistant', [{ type: 'text', text: answer }])
    const stopped = emit('Stop', { last_assistant_message: answer, stop_hook_active: false })
    isWorking = false
    draw()
    if (prompt.includes('Then exit.')) stopped.then(() => setTimeout(() => process.exit(0), 300))
  }, faults.workMs ?? 50)
}

/** Whoever wrote what arrived before could not know. */
function misdirected(what) {
  const kind = arrivedAt < shownSince ? 'overtaken' : 'misdirected'
  log({ kind, what, into: faults.shows })
}

function enter() {
  if (faults.dieOn === 'enter') process.exit(1)
  if (faults.shows) return misdirected('Enter')
  if (answered) return answered()
  if (eats('eatEnter') || draft.trim() === '') return
  const prompt = draft
  draft = ''
  submit(prompt)
}

function pasted(piece) {
  log({ kind: 'pasted', text: piece })
  if (faults.dieOn === 'paste') process.exit(1)
  if (faults.shows) return misdirected(piece)
  if (eats('eatPaste')) return
  draft += piece
}

function typed(piece) {
  log({ kind: 'typed', text: piece })
  for (const key of piece) {
    if (key === '\r') enter()
    else if (key === '\x03' && !faults.isStubborn) process.exit(0)
    else if (key === '\x7f') draft = draft.slice(0, -1)
    else if (key >= ' ') draft += key
  }
}

function receive(chunk) {
  readFaults()
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

let receiving = Promise.resolve()

/** However slow it is, and even if it gets quicker in between: nothing overtakes earlier input. */
function receiveInTurn(chunk) {
  const at = performance.now()
  receiving = receiving
    .then(() => new Promise((resolve) => setTimeout(resolve, faults.slowMs ?? 0)))
    .then(() => {
      arrivedAt = at
      receive(chunk)
    })
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
  if (faults.shows === 'dialog' || answered) return [rule, ...DIALOG]
  const [first, ...others] = rowsOf(draft, width)
  const composer = [rule, `❯ ${first}`, ...others.map((row) => `  ${row}`), rule]
  if (faults.shows === 'picker') return [...composer, '  /clear      Start over', '  /compact']
  const work = isWorking ? ['✻ Working… (1s · esc to interrupt)', ''] : []
  return [answer && `● ${answer}`, '', ...work, ...composer, '  ? for shortcuts']
}

/** Wrapped as in the composer, with room for the cursor at the end. */
function rowsOf(words, width) {
  const size = Math.max(width - 2, 1)
  return words.split('\n').flatMap((line) => {
    const count = Math.floor(line.length / size) + 1
    return Array.from({ length: count }, (_, n) => line.slice(n * size, (n + 1) * size))
  })
}

function draw() {
  const { columns = 80 } = process.stdout
  const shown = lines(columns)
  const row = shown.findIndex((line) => line.startsWith('❯ ')) + 1
  const rows = rowsOf(draft, columns)
  const place =
    row > 0
      ? `\x1b[${row + rows.length - 1};${(rows.at(-1)?.length ?? 0) + 3}H\x1b[?25h`
      : '\x1b[?25l'
  process.stdout.write(`\x1b[2J\x1b[H${shown.join('\r\n')}${place}`)
}

process.stdin.setRawMode(true).setEncoding('utf8')
process.stdout.write('\x1b[?2004h')
process.on('SIGHUP', hangUp)
for (const stream of [process.stdin, process.stdout]) stream.on('error', hangUp)
log({ kind: 'started', pid: process.pid, resumed: options.resume !== undefined })
readFaults()
if (faults.dieOn === 'start') process.exit(1)
setTimeout(() => {
  emit('SessionStart', { source: options.resume ? 'resume' : 'startup' })
  process.stdin.on('data', receiveInTurn)
  process.stdout.on('resize', draw)
  isUp = true
  setInterval(readFaults, 20)
  draw()
  if (positionals[0]) submit(positionals[0])
}, 50)
