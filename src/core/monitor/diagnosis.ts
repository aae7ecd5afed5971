import type { Shows } from '../screen/screen-rule.ts'

/** What triage found out about a program whose screen has stood still. `undefined`: not visible. */
export type TriageFacts = {
  /** The pane exists. */
  sessionThere: boolean | undefined
  processAlive: boolean | undefined
  /** The kernel's letter: R, S, D, T, Z. */
  processState: string | undefined
  /** All descendants, with the CPU time that each has used since the last look. */
  children: readonly TriageChild[] | undefined
  /** Of the program itself. */
  cpuMsSinceLastLook: number | undefined
  /** How long ago the last look was. */
  elapsedMs: number
  shellInForeground: boolean
  /** How it ended, if tmux or the kernel reports it. */
  exit?: { status?: number; signal?: string }
  /** Whether tmux saw output since the last look: a spinner may be caught at the same frame twice. */
  hasPrinted?: boolean
}

type TriageChild = { pid: number; name: string; cpuMs: number; state?: string }

export type DiagnosisKind =
  | 'working'
  | 'slow'
  | 'dialog'
  | 'idle'
  | 'thinking'
  | 'suspended'
  | 'hung'
  | 'crashed'
  | 'exited'
  | 'finished'
  | 'unobservable'

export type Diagnosis = {
  kind: DiagnosisKind
  /** For the human: what was found and what it means. */
  sentence: string
  /** Whether the human has to look: it goes into the queue. */
  isStall: boolean
}

/** What the screen adds to the facts. */
export type TriageView = {
  shows: Shows | undefined
  /** The lines at the bottom of the screen, oldest first. */
  lastLines: readonly string[]
  /** Nothing at all has moved, not even a spinner. */
  isMotionless: boolean
  /** How long the screen has been as it is. */
  unchangedMs: number
}

/** Children do the work, so even a little of their CPU counts. An idle program has timers of its own. */
const CHILD_SHARE = 0.01
const OWN_SHARE = 0.05

/** A program that uses CPU is busy; one that uses none while nothing moves hangs. */
export function diagnose(facts: TriageFacts, view: TriageView): Diagnosis {
  const { sessionThere, processAlive, children, cpuMsSinceLastLook, elapsedMs } = facts
  if (isOver(facts)) return diagnoseEnd(facts, view)
  if (sessionThere === undefined || processAlive === undefined) {
    return quiet('unobservable', 'Whether it still runs could not be seen.')
  }
  if (facts.processState === 'T') {
    return quiet('suspended', 'It is suspended (Ctrl-Z). Bring it back with: fg')
  }
  if (view.shows === 'dialog')
    return quiet('dialog', 'A dialog is open, and it waits for the answer.')
  if (view.shows === 'idle' || view.shows === 'failed') {
    return quiet('idle', 'It waits at its prompt.')
  }
  if (view.shows === 'finished') return quiet('idle', 'A shell in it is at its prompt.')
  const busy = busiest(children ?? [], elapsedMs * CHILD_SHARE)
  if (busy) return quiet('working', `It prints nothing, but ${named(busy)} uses the CPU.`)
  const running = children?.find(({ state }) => state === 'R' || state === 'D')
  if (running) {
    const doing = running.state === 'D' ? 'waits for the disk' : 'runs'
    return quiet('slow', `It prints nothing while ${named(running)} ${doing}.`)
  }
  if (facts.hasPrinted || !view.isMotionless) {
    return quiet('thinking', 'Only its spinner or its timer moves: it thinks.')
  }
  if (cpuMsSinceLastLook === undefined || children === undefined) {
    return quiet(
      'unobservable',
      `Its screen has not changed for ${durationText(view.unchangedMs)}; whether it uses the CPU could not be seen.`,
    )
  }
  if (cpuMsSinceLastLook >= elapsedMs * OWN_SHARE || facts.processState === 'R') {
    return quiet('working', 'It prints nothing, but it uses the CPU itself.')
  }
  if (facts.processState === 'D')
    return quiet('slow', 'It prints nothing while it waits for the disk.')
  return {
    kind: 'hung',
    sentence: `Its screen has not changed for ${durationText(view.unchangedMs)}, and nothing in it uses the CPU: it hangs, or waits for you.`,
    isStall: true,
  }
}

/** Whether the program is gone, whatever its screen still shows. */
export function isOver({ sessionThere, processAlive, processState }: TriageFacts): boolean {
  return sessionThere === false || processAlive === false || processState === 'Z'
}

/** Last words of programs that ended badly. They count only if the process is gone. */
const LAST_WORDS: readonly RegExp[] = [
  /^(?:\S+: )?(?:line \d+: )?(?:\d+ )?(?:Segmentation fault|Killed|Aborted|Bus error|Illegal instruction|Floating point exception|Terminated)\b/,
  /\(core dumped\)\s*$/,
  /^thread '.{1,80}' (?:\(\d+\) )?panicked at /,
  /^panic: /,
  /^Traceback \(most recent call last\):/,
  /^Node\.js v\d+\.\d+/,
  /^(?:FATAL ERROR|fatal error|Fatal error|Unhandled exception)\b/,
  /^zsh: (?:segmentation fault|killed|abort|bus error|terminated)\b/,
]
const LAST_WORDS_LINES = 12

function diagnoseEnd({ exit, sessionThere, shellInForeground }: TriageFacts, view: TriageView) {
  if (exit?.signal) return quiet('crashed', `It was ended by ${exit.signal}.`)
  if (exit?.status) return quiet('crashed', `It ended with exit code ${exit.status}.`)
  const words = view.lastLines
    .slice(-LAST_WORDS_LINES)
    .find((line) => LAST_WORDS.some((pattern) => pattern.test(line)))
  if (words !== undefined && exit?.status !== 0) {
    return quiet('crashed', `It is gone. Its last words: ${words.trim().slice(0, 160)}`)
  }
  if (shellInForeground && exit?.status !== 0) {
    return quiet('exited', 'It is gone, and the shell is back at its prompt.')
  }
  if (exit?.status === 0) return quiet('finished', 'It has finished: it ended with exit code 0.')
  return sessionThere === false
    ? quiet('finished', 'It is gone, and its pane with it.')
    : quiet('finished', 'It has finished: its process is gone.')
}

function busiest(children: readonly TriageChild[], leastMs: number): TriageChild | undefined {
  const used = children.reduce((sum, { cpuMs }) => sum + cpuMs, 0)
  if (used <= 0 || used < leastMs) return undefined
  return children.toSorted((a, b) => b.cpuMs - a.cpuMs)[0]
}

function named({ name, pid }: TriageChild): string {
  return `its child ${name} (${pid})`
}

function quiet(kind: DiagnosisKind, sentence: string): Diagnosis {
  return { kind, sentence, isStall: false }
}

function durationText(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  if (seconds < 100) return `${seconds} seconds`
  const minutes = Math.round(seconds / 60)
  return minutes < 100 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`
}
