import { expect, test } from 'vitest'
import { diagnose, type TriageFacts, type TriageView } from './diagnosis.ts'

const FACTS: TriageFacts = {
  sessionThere: true,
  processAlive: true,
  processState: 'S',
  children: [],
  cpuMsSinceLastLook: 0,
  elapsedMs: 15_000,
  shellInForeground: false,
}
const VIEW: TriageView = {
  shows: 'working',
  lastLines: [],
  isMotionless: true,
  unchangedMs: 150_000,
}
const GONE = { processAlive: false, processState: undefined, shellInForeground: true }
const child = (cpuMs: number, state = 'S') => ({ pid: 7, name: 'cc1plus', cpuMs, state })
const kindOf = (facts: Partial<TriageFacts>, view: Partial<TriageView> = {}) =>
  diagnose({ ...FACTS, ...facts }, { ...VIEW, ...view }).kind

test.each<[string, string, Partial<TriageFacts>, Partial<TriageView>]>([
  ['working', 'a child uses the CPU', { children: [child(4_000)] }, {}],
  ['working', 'it computes itself', { cpuMsSinceLastLook: 14_000 }, {}],
  ['working', 'it is on the CPU right now', { processState: 'R' }, {}],
  ['slow', 'a child waits for the disk', { children: [child(0, 'D')] }, {}],
  ['slow', 'a child runs', { children: [child(10, 'R')] }, {}],
  ['slow', 'it waits for the disk', { processState: 'D' }, {}],
  ['dialog', 'a dialog is open', {}, { shows: 'dialog' }],
  ['idle', 'it is at its prompt', {}, { shows: 'idle' }],
  ['idle', 'it is at its prompt after an error', {}, { shows: 'failed' }],
  ['idle', 'a shell in it is at its prompt, over ssh for example', {}, { shows: 'finished' }],
  ['thinking', 'its spinner moves', {}, { isMotionless: false }],
  ['thinking', 'tmux saw output that ended up the same', { hasPrinted: true }, {}],
  ['suspended', 'Ctrl-Z', { processState: 'T' }, {}],
  ['hung', 'nothing moves and nothing computes', {}, {}],
  ['hung', 'idle children are no work', { children: [child(0), child(20)] }, {}],
  ['hung', 'the timers of an idle program are no work', { cpuMsSinceLastLook: 300 }, {}],
  ['hung', 'no rule knows its screen', {}, { shows: undefined }],
  ['crashed', 'a signal', { ...GONE, exit: { signal: 'SIGSEGV' } }, {}],
  ['crashed', 'an exit code', { ...GONE, exit: { status: 2 } }, {}],
  ['crashed', 'its last words', GONE, { lastLines: ["thread 'main' panicked at src/a.rs:1:2:"] }],
  [
    'crashed',
    'what the shell says',
    GONE,
    { lastLines: ['Segmentation fault (core dumped)', '$'] },
  ],
  ['exited', 'the shell is back', GONE, { lastLines: ['Bye.', '$'] }],
  ['finished', 'exit code 0', { ...GONE, exit: { status: 0 } }, {}],
  ['finished', 'nothing but the pane is left', { ...GONE, shellInForeground: false }, {}],
  ['finished', 'the pane is gone', { ...GONE, sessionThere: false, shellInForeground: false }, {}],
  ['exited', 'it is gone, whatever tmux says', { ...GONE, sessionThere: undefined }, {}],
  ['exited', 'a zombie before a shell', { processState: 'Z', shellInForeground: true }, {}],
  ['unobservable', 'tmux did not answer', { sessionThere: undefined }, {}],
  ['unobservable', 'the process cannot be seen', { processAlive: undefined }, {}],
  ['unobservable', 'CPU cannot be seen', { cpuMsSinceLastLook: undefined }, {}],
  ['unobservable', 'children cannot be seen', { children: undefined }, {}],
])('%s: %s', (kind, _, facts, view) => {
  expect(kindOf(facts, view)).toBe(kind)
})

test('only a hang is a stall', () => {
  expect(diagnose(FACTS, VIEW).isStall).toBe(true)
  expect(diagnose({ ...FACTS, children: [child(4_000)] }, VIEW).isStall).toBe(false)
  expect(diagnose({ ...FACTS, sessionThere: undefined }, VIEW).isStall).toBe(false)
  expect(diagnose({ ...FACTS, ...GONE }, VIEW).isStall).toBe(false)
})

test('a crash on the screen of a live program is only something it shows', () => {
  expect(kindOf({}, { lastLines: ['Segmentation fault (core dumped)'] })).toBe('hung')
})

test('the sentence says what was found, and names the child', () => {
  expect(diagnose(FACTS, VIEW).sentence).toBe(
    'Its screen has not changed for 3 minutes, and nothing in it uses the CPU: it hangs, or waits for you.',
  )
  expect(diagnose({ ...FACTS, children: [child(4_000)] }, VIEW).sentence).toBe(
    'It prints nothing, but its child cc1plus (7) uses the CPU.',
  )
})
