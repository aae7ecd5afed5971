import type { DecisionView } from '../../contract/decision.ts'
import { TrailBossError } from '../../core/errors.ts'

export function settledAlready({ answer, withdrawn }: DecisionView): TrailBossError {
  const what = answer
    ? `It was answered already: ${answer.choice}, by ${answer.by}.`
    : withdrawn?.why === 'deadline'
      ? 'Its deadline has passed, and its asker has gone on without an answer.'
      : 'Its asker is gone, so nobody waits for an answer.'
  return new TrailBossError('TOO_LATE', what, { hint: 'Nothing was changed.' })
}

export function inputUnknown(): TrailBossError {
  const what = 'Its asker is not connected, so its whole input is not known.'
  return new TrailBossError('TOO_LATE', what, {
    hint: 'Answer without changing the input, or wait until it is back.',
  })
}

export function onlyBeginningKnown(): TrailBossError {
  const what = 'Its asker is not connected, so only the beginning of what it asks is known.'
  return new TrailBossError('TOO_LATE', what, { hint: 'Deny it, or wait until its asker is back.' })
}

export function otherQuestion(id: string): TrailBossError {
  return new TrailBossError('ALREADY_THERE', `Decision "${id}" is about something else.`, {
    hint: 'Choose a new id for each question.',
  })
}

export function unknownDecision(id: string): TrailBossError {
  return new TrailBossError('NOT_FOUND', `There is no decision "${id}".`, {
    hint: 'See what is open: trailboss decide',
  })
}

/** What is left of the answer lacks its secrets, and an asker that went by it would do something else. */
export function takenAlready(): TrailBossError {
  return new TrailBossError('TOO_LATE', 'Its answer was given already, and is not kept.', {
    hint: 'Ask again with a new id.',
  })
}
