import fc from 'fast-check'
import { expect, test } from 'vitest'
import { WAIT_LABELS } from '../session/wait-label.ts'
import type { NoticeChannel } from './channel.ts'
import { type Mute, muteOf } from './mute.ts'
import { type Announced, type NoticeRules, planNotices, type Wait } from './notice-plan.ts'
import { quietMinutesLeft } from './quiet-hours.ts'

/**
 * A day of an operator in simulated time. The only moments at which the plan is made are those that the daemon has:
 * a change of the queue, the end of a send, and the time that the last plan named.
 */

const DAY_MS = 86_400_000
const END = DAY_MS * 2

type Span = { from: number; ms: number }
const span = fc.record({ from: fc.nat(DAY_MS), ms: fc.integer({ min: 1, max: DAY_MS / 4 }) })
const isIn = (at: number) => (one: Span) => at >= one.from && at < one.from + one.ms

const rules = fc.record({
  channels: fc.constantFrom<NoticeChannel[]>(['bell'], ['bell', 'command']),
  afterMs: fc.constantFrom(0, 15_000, 600_000),
  togetherMs: fc.constantFrom(0, 2_000, 60_000),
  again: fc.option(
    fc.record({
      afterMs: fc.constantFrom(60_000, 3_600_000),
      channels: fc.constantFrom<NoticeChannel[]>(['bell'], ['desktop', 'command']),
    }),
    { nil: undefined },
  ),
  quietHours: fc.option(fc.constantFrom({ from: 1_320, to: 420 }, { from: 60, to: 90 }), {
    nil: undefined,
  }),
})
const life = fc.record({
  span,
  label: fc.constantFrom(...WAIT_LABELS),
  project: fc.constantFrom('p', 'q'),
  looks: fc.array(span, { maxLength: 3 }),
  cooldown: fc.option(fc.nat(600_000), { nil: 0 }),
})
const day = fc.record({
  rules,
  lives: fc.array(life, { minLength: 1, maxLength: 6 }),
  mutes: fc.array(fc.record({ span, name: fc.constantFrom('p', 'q') }), { maxLength: 2 }),
  /** Which sends fail, in turn. */
  failures: fc.array(fc.boolean(), { maxLength: 12 }),
  /** The wall clock is set while it runs: by how much, and when. */
  jump: fc.record({ at: fc.nat(DAY_MS), ms: fc.integer({ min: -DAY_MS / 2, max: DAY_MS / 2 }) }),
})

type Sent = { id: string; channel: NoticeChannel; level: string; at: number; isDelivered: boolean }

test('every wait is announced once, never while it is held, and never lost', () => {
  fc.assert(
    fc.property(day, (of) => {
      const settings: NoticeRules = { ...of.rules, labels: WAIT_LABELS.slice(0, 5) }
      const waits = of.lives.map(
        ({ span, label, project, cooldown }, index): Wait => ({
          ...{ id: `w${index}`, session: `s${index}`, harness: 'h', project, label },
          ...{ since: span.from, readyAt: cooldown === 0 ? 0 : span.from + cooldown },
        }),
      )
      const wallAt = (at: number) => DAY_MS * 100 + at + (at >= of.jump.at ? of.jump.ms : 0)
      const minuteAt = (at: number) => (wallAt(at) / 60_000) % 1_440
      const mutesAt = (at: number): Mute[] =>
        of.mutes
          .filter(({ span }) => span.from <= at)
          .map(({ span, name }) => ({
            ...{ kind: 'project', name },
            until: wallAt(span.from) + span.ms,
          }))
      const isLookedAt = (index: number, at: number) => of.lives[index]!.looks.some(isIn(at))
      const announced = new Map<string, Announced>()
      const paused = new Map<NoticeChannel, number>()
      const failures = [...of.failures]
      const sent: Sent[] = []

      const changes = [
        ...of.lives.flatMap(({ span }) => [span.from, span.from + span.ms]),
        ...of.mutes.map(({ span }) => span.from),
        of.jump.at,
      ].toSorted((a, b) => a - b)
      const planAt = (now: number) =>
        planNotices({
          rules: settings,
          ...{ now, wall: wallAt(now), minute: minuteAt(now), mutes: mutesAt(now) },
          waits: waits.filter((_, index) => isIn(now)(of.lives[index]!.span)),
          announced,
          isLookedAt: (wait) => isLookedAt(waits.indexOf(wait), now),
          pausedUntil: paused,
        })
      let steps = 0
      for (let now = 0; now < END; steps++) {
        expect(steps).toBeLessThan(400_000)
        let plan = planAt(now)
        for (const one of plan.announced) announced.set(one.id, one)
        for (const { channel, level, ids } of plan.sends) {
          const isDelivered = failures.shift() !== true
          for (const id of ids) {
            sent.push({ id, channel, level, at: now, isDelivered })
            const known = announced.get(id)!
            if (!isDelivered) announced.set(id, { ...known, left: [...known.left, channel] })
          }
          if (!isDelivered) paused.set(channel, now + 5_000)
        }
        if (plan.sends.length > 0) plan = planAt(now)
        const changeAt = changes.find((at) => at > now) ?? END
        // The daemon wakes each minute while something is held, since a clock may be set.
        const wakeAt = plan.wakeAt === undefined ? END : Math.min(plan.wakeAt, now + 60_000)
        expect(wakeAt).toBeGreaterThan(now)
        now = Math.min(changeAt, wakeAt)
      }

      for (const { id, at } of sent) {
        const index = waits.findIndex((wait) => wait.id === id)
        const wait = waits[index]!
        expect(settings.labels).toContain(wait.label)
        expect(isIn(at)(of.lives[index]!.span)).toBe(true)
        expect(at).toBeGreaterThanOrEqual(wait.since + settings.afterMs)
        expect(at).toBeGreaterThanOrEqual(wait.readyAt)
        expect(isLookedAt(index, at)).toBe(false)
        expect(muteOf(wait, mutesAt(at), wallAt(at))).toBeUndefined()
        if (settings.quietHours) expect(quietMinutesLeft(settings.quietHours, minuteAt(at))).toBe(0)
      }
      const delivered = sent.filter(({ isDelivered }) => isDelivered)
      const keys = delivered.map(({ id, channel, level }) => `${id} ${channel} ${level}`)
      expect(new Set(keys).size).toBe(keys.length)

      // With this much time in a row in which nothing holds it, the first notice is out on all its channels.
      const enough = settings.togetherMs + 60_000 + 5_000 * (of.failures.length + 1) + 3_000
      for (const [index, wait] of waits.entries()) {
        if (!settings.labels.includes(wait.label)) continue
        const { span } = of.lives[index]!
        const begins = Math.max(wait.since + settings.afterMs, wait.readyAt)
        const isFree = (at: number) =>
          !isLookedAt(index, at) &&
          !muteOf(wait, mutesAt(at), wallAt(at)) &&
          !(settings.quietHours && quietMinutesLeft(settings.quietHours, minuteAt(at)) > 0)
        let free = 0
        for (let at = begins; at < span.from + span.ms && free <= enough; at += 1_000) {
          free = isFree(at) ? free + 1_000 : 0
        }
        if (free <= enough) continue
        // The second notice takes the place of what is left of the first.
        const tries = settings.again ? sent : delivered
        const reached = new Set(
          tries.filter(({ id }) => id === wait.id).map(({ channel }) => channel),
        )
        for (const channel of settings.channels) expect(reached).toContain(channel)
      }
    }),
    { numRuns: 60 },
  )
})
