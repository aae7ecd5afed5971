import * as v from 'valibot'
import { DEFAULT_SAFEGUARD_RULES } from '../core/bridge/safeguard.ts'
import { DEFAULT_TOKEN_RULES } from '../core/bridge/token.ts'
import { DEFAULT_RULES } from '../core/supervisor/defaults.ts'
import { group } from './group.ts'

const DAY_MS = 86_400_000
const { runtime, restart, delivery, rate, triage, dispatch } = DEFAULT_RULES

const ms = (by: number) =>
  v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(DAY_MS)), by)
const count = (by: number, least = 0) =>
  v.optional(v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(1_000)), by)
const steps = (by: readonly number[]) =>
  v.optional(
    v.pipe(
      v.array(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(DAY_MS))),
      v.minLength(1),
      v.maxLength(10),
    ),
    [...by],
  )

/** Every number that controls runtimes and the delivery of prompts. */
export const SupervisorSchema = v.strictObject({
  runtime: group({
    reconcileMs: ms(runtime.reconcileMs),
    startTimeoutMs: ms(runtime.startTimeoutMs),
    commandGraceMs: ms(runtime.commandGraceMs),
    stopTimeoutMs: ms(runtime.stopTimeoutMs),
  }),
  restart: group({
    failures: count(restart.failures, 1),
    windowMs: ms(restart.windowMs),
    backoffMs: steps(restart.backoffMs),
    staleMs: ms(restart.staleMs),
  }),
  delivery: group({
    quietMs: ms(delivery.quietMs),
    recheckMs: ms(delivery.recheckMs),
    deferLimitMs: ms(delivery.deferLimitMs),
    freshMs: ms(delivery.freshMs),
    enterDelayMs: ms(delivery.enterDelayMs),
    ackTimeoutMs: ms(delivery.ackTimeoutMs),
    retries: count(delivery.retries),
    backoffMs: steps(delivery.backoffMs),
    busyLimitMs: ms(delivery.busyLimitMs),
    resumeAttempts: count(delivery.resumeAttempts),
    launchAckMs: ms(delivery.launchAckMs),
    fallbackLimitMs: ms(delivery.fallbackLimitMs),
  }),
  rate: group({
    windowMs: ms(rate.windowMs),
    perThread: count(rate.perThread, 1),
    perAgent: count(rate.perAgent, 1),
  }),
  triage: group({ attempts: count(triage.attempts) }),
  dispatch: group({
    launchMs: ms(dispatch.launchMs),
    validateMs: ms(dispatch.validateMs),
    settleMs: ms(dispatch.settleMs),
    recheckMs: ms(dispatch.recheckMs),
  }),
  safeguard: group({
    turns: count(DEFAULT_SAFEGUARD_RULES.turns, 1),
    findings: count(DEFAULT_SAFEGUARD_RULES.findings, 1),
  }),
  token: group({ lifetimeMs: ms(DEFAULT_TOKEN_RULES.lifetimeMs) }),
  /** Whether the audit stores the text that was typed and posted, without its secrets, besides its hash. */
  keepsPayloads: v.optional(v.boolean(), false),
  /** How many days an audit line is kept; 0: forever. */
  auditDays: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(36_500)), 0),
})

export type SupervisorSettings = v.InferOutput<typeof SupervisorSchema>
