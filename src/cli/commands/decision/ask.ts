import type { Command } from 'commander'
import { askOperator, newDecisionId } from '../../../client/decision-asker.ts'
import type { DecisionBody, DecisionOutcome } from '../../../contract/decision.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { createContext } from '../../context/context.ts'
import { durationArgument } from '../../context/duration-argument.ts'
import { note, print, printJson } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'

type AskOptions = { option?: string[]; timeout?: number; name?: string; json?: boolean }

export function addTo(program: Command): void {
  addCommand(program, 'ask <question>', 'ask the operator from a script, and wait', ask)
    .option('--option <answer>', 'an answer to choose from; repeat it for more', collected)
    .option('--timeout <time>', 'give up after this, such as 30m', durationArgument)
    .option('--name <name>', 'who asks (default: script)')
    .addHelpText('after', HELP)
}

const HELP = `
It prints the answer. Without --option, any text can be the answer.
Exit codes: 0 answered, 7 nobody answered in time, 3 no daemon is running, 2 the question is not valid.

  [ "$(trailboss ask 'Deploy?' --option yes --option no)" = yes ] && ./deploy`

async function ask(question: string, options: AskOptions): Promise<void> {
  const { client } = createContext()
  const deadline = options.timeout === undefined ? undefined : Date.now() + options.timeout
  if (process.stderr.isTTY) note('Waiting for the operator. Ctrl-C withdraws the question.')
  const body: DecisionBody = {
    v: 1,
    id: newDecisionId(),
    asker: { name: options.name ?? 'script', ...whereItRuns() },
    question,
    ...(options.option && { options: options.option }),
    ...(deadline !== undefined && { deadline }),
  }
  const outcome = await askOperator(client, body, undefined, sayOnce())
  const answer = answerOf(outcome)
  if (options.json) printJson(outcome)
  else print(answer)
}

/** The daemon may be gone for long; it gets the same question when it is back. */
function sayOnce(): (error: TrailBossError) => void {
  let hasSaid = false
  return ({ code, message }) => {
    const what = code === 'NOT_STORED' ? message : 'The daemon does not answer.'
    if (!hasSaid) note(`${what} Waiting for it: start it with "trailboss up".`)
    hasSaid = true
  }
}

function answerOf(outcome: DecisionOutcome): string {
  if (outcome.outcome === 'answered') return outcome.choice
  throw unanswered()
}

function unanswered(): TrailBossError {
  return new TrailBossError('NO_ANSWER', 'Nobody answered in time.', {
    hint: 'The question was withdrawn.',
  })
}

/** A directory may be deleted while a script runs in it. */
function whereItRuns(): { cwd?: string } {
  try {
    return { cwd: process.cwd() }
  } catch {
    return {}
  }
}

function collected(value: string, before: string[] = []): string[] {
  return [...before, value]
}
