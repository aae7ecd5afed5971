import type { Verdict } from '../session/verdict.ts'
import { labelOf } from '../session/wait-label.ts'

/** What a human visibly did in an agent's pane. */
export type Intervention =
  | { kind: 'prompted' | 'interrupted' | 'suspended' }
  | { kind: 'answered' | 'denied'; what: string }

/** What a human must have done between two verdicts of a session; undefined if nobody had to do anything. */
export function interventionBetween(before: Verdict, after: Verdict): Intervention | undefined {
  if (after.state === 'ended' || after.state === 'unknown') return undefined
  const isInterrupted = after.state === 'stuck' && labelOf(after) === 'interrupted'
  if (before.state === 'stuck' && before.reason === 'permission') {
    const isSameWait =
      after.state === 'stuck' && after.reason === 'permission' && after.since <= before.since
    if (isSameWait) return undefined
    return { kind: isInterrupted ? 'denied' : 'answered', what: wantedIn(before) }
  }
  if (!isInterrupted || before.state !== 'working') return undefined
  return { kind: after.by === 'process' ? 'suspended' : 'interrupted' }
}

/** The message for the orchestrator. It names the tool and quotes nothing that another agent wrote. */
export function interventionText(agentId: string, done: Intervention): string {
  switch (done.kind) {
    case 'prompted':
      return `The operator typed a prompt into the pane of ${agentId}. Find out what it does now before you give it more work.`
    case 'answered':
      return `The operator answered ${done.what} of ${agentId}. It goes on with its work.`
    case 'denied':
      return `The operator turned down ${done.what} of ${agentId}, which has stopped. Find out what the operator wants before you give it more work.`
    case 'interrupted':
      return `The operator interrupted ${agentId}, which has stopped. Find out what the operator wants before you give it more work.`
    case 'suspended':
      return `The operator suspended ${agentId} (Ctrl-Z). It takes no work until it is brought back.`
    default:
      return done satisfies never
  }
}

function wantedIn(wait: Extract<Verdict, { state: 'stuck' }>): string {
  if (labelOf(wait) === 'asks') return 'a question'
  const tool = wait.ask.tool?.replace(/[^\w.:/-]/g, '').slice(0, 60)
  return tool ? `a permission prompt (${tool})` : 'a permission prompt'
}

/** Several sources report the same prompt within this time, each with its mark. */
export const SAME_PROMPT_MS = 3_000

/** A transcript may record that a prompt was taken just before it records the prompt itself. */
const SAME_LINE_MS = 500

/** One report of a prompt. `isOurs`: it contains our mark. */
export type PromptReport = { at: number; source: string; isOurs: boolean }

/** A prompt, dated by its first report. It stays `open` while a mark may still show that it is ours. */
type KnownPrompt = { at: number; sources: readonly string[]; whose: 'open' | 'human' | 'ours' }

/** The latest prompts of one session. */
export type Prompts = readonly KnownPrompt[]

const MOST_PROMPTS = 40

export function withPromptReport(prompts: Prompts, report: PromptReport): Prompts {
  const { at, source, isOurs } = report
  const same = isOurs ? claimedBy(prompts, report) : sameAs(prompts, report)
  if (!same) {
    const added = { at, sources: [source], whose: isOurs ? 'ours' : 'open' } as const
    return [...prompts, added].slice(-MOST_PROMPTS)
  }
  const sources = [...new Set([...same.sources, source])]
  const merged = { ...same, sources, ...(isOurs && { whose: 'ours' as const }) }
  return prompts.map((one) => (one === same ? merged : one))
}

function isOurOwn({ whose }: KnownPrompt): boolean {
  return whose === 'ours'
}

/** A source may report a prompt's mark a moment after the prompt, or leave that to another source. */
function claimedBy(prompts: Prompts, report: PromptReport): KnownPrompt | undefined {
  const { at, source } = report
  const open = prompts.filter(({ whose }) => whose === 'open')
  const own = open.findLast(
    (one) => one.sources.includes(source) && one.at <= at && at - one.at <= SAME_PROMPT_MS,
  )
  const known = () => reportedElsewhere(prompts.filter(isOurOwn), report)
  return own ?? known() ?? reportedElsewhere(open, report)
}

/** The nearest prompt that other sources have reported and this one has not. */
function reportedElsewhere(prompts: Prompts, report: PromptReport): KnownPrompt | undefined {
  const distance = (one: KnownPrompt) => Math.abs(one.at - report.at)
  return prompts
    .filter((one) => !one.sources.includes(report.source) && distance(one) <= SAME_PROMPT_MS)
    .toSorted((a, b) => distance(a) - distance(b))[0]
}

/** A prompt typed ahead appears in the transcript only when its turn begins. */
function sameAs(prompts: Prompts, report: PromptReport): KnownPrompt | undefined {
  const { at, source } = report
  const near = reportedElsewhere(prompts, report)
  if (near || source !== 'transcript') return near
  const others = prompts.filter((one) => !isOurOwn(one))
  const line = others.find(
    (one) => one.sources.includes(source) && Math.abs(one.at - at) <= SAME_LINE_MS,
  )
  return line ?? others.find((one) => !one.sources.includes(source) && one.at < at)
}

/** The human's prompts are those that no mark has claimed in time. */
export function settledPrompts(prompts: Prompts, now: number): { human: number[]; rest: Prompts } {
  const isDue = ({ whose, at }: KnownPrompt) => whose === 'open' && now - at >= SAME_PROMPT_MS
  return {
    human: prompts.filter(isDue).map(({ at }) => at),
    rest: prompts.map((one) => (isDue(one) ? { ...one, whose: 'human' } : one)),
  }
}

export function hasOpenPrompts(prompts: Prompts): boolean {
  return prompts.some(({ whose }) => whose === 'open')
}
