import type { NoticesView, TestedView } from '../../contract/notice.ts'
import type { Mute } from '../../core/notice/mute.ts'
import type { Hold } from '../../core/notice/notice-plan.ts'
import { shellWord } from '../../core/shell-word.ts'
import { displayLine } from '../../core/text.ts'
import { ageText, remainingText, spelledDuration } from '../../text/duration.ts'
import { fieldLines } from '../../text/fields.ts'
import type { Reader } from '../../text/reader.ts'
import { table } from '../../text/table.ts'

const OFF = `Notices are off. Turn them on with a channel in config.json, and restart the daemon:
  "notify": { "channels": ["desktop"] }
Try one first: trailboss notify --test desktop (or message, bell, osc9, osc777, osc99).`

/** What would be announced now, and why not. */
export function noticesText(view: NoticesView, reader: Reader): string {
  const { channels, mutes, waits, quietHours, afterSeconds } = view
  if (channels.length === 0) return OFF
  const fields = fieldLines(
    [
      ...channels.map((one) => ['channel', channelText(one, reader)] as const),
      ['after', spelledDuration(afterSeconds * 1_000)],
      ['quiet', quietHours ?? undefined],
      ...mutes.map((mute) => ['muted', nameText(mute, reader)] as const),
    ],
    reader,
  )
  if (waits.length === 0) return [...fields, '', 'Nothing waits.'].join('\n')
  const rows = table(waits, reader, [
    ['AGENT', ({ name }) => name],
    ['WAITS', ({ since }) => ageText(since, reader.now)],
    ['LABEL', ({ label }) => label],
    ['NOTICE', ({ fate }) => fateText(fate, reader)],
  ])
  return [...fields, '', rows].join('\n')
}

function channelText(
  { channel, state, why, tries, retryAt, sentAt }: NoticesView['channels'][number],
  { now }: Reader,
): string {
  const retry = retryAt === null ? 'now' : `in ${remainingText(retryAt, now)}`
  const last = sentAt === null ? '' : `, last used ${ageText(sentAt, now)} ago`
  if (why !== null) return `${channel}: failed ${tries}×, next try ${retry}: ${why}`
  if (state === 'nobody') return `${channel}: no terminal is attached, next try ${retry}`
  return `${channel}: ${state}${last}`
}

function fateText(fate: NoticesView['waits'][number]['fate'], { now }: Reader): string {
  const which = 'level' in fate && fate.level === 'again' ? 'the second one ' : ''
  switch (fate.kind) {
    case 'ignored':
      return 'none: its label is not in notify.labels'
    case 'announced':
      return `${which}sent ${ageText(fate.at, now)} ago`
    case 'due':
      return `${which}now, on ${fate.channels.join(', ')}`
    case 'held': {
      const until = fate.until === undefined ? '' : ` (${remainingText(fate.until, now)})`
      return `${which}${HELD[fate.by]}${fate.by === 'look' ? '' : until}`
    }
    default:
      return fate satisfies never
  }
}

const HELD: Record<Hold, string> = {
  cooldown: 'later: you skipped it',
  time: 'later: it has not waited long enough',
  mute: 'later: it is muted',
  quiet: 'later: these are quiet hours',
  look: 'later: you look at its pane',
  channel: 'later: its channels are busy or have failed',
  together: 'in a moment, with others',
}

export function testedText({ results }: TestedView): string {
  return results
    .map(({ channel, result, why }) => {
      if (result === 'sent') return `${channel}: sent`
      if (result === 'nobody') return `${channel}: no terminal is attached to tmux`
      return `${channel}: failed: ${displayLine(why ?? '')}`
    })
    .join('\n')
}

export function mutesText({ mutes }: { mutes: readonly Mute[] }, reader: Reader): string {
  if (mutes.length === 0) return 'Nothing is muted.'
  return table(mutes, reader, [
    ['MUTED', ({ name }) => name],
    ['KIND', ({ kind }) => kind],
    ['LEFT', ({ until }) => (until === null ? 'until --off' : remainingText(until, reader.now))],
  ])
}

/** What was just muted, or is not any more. */
export function muteText(mute: Mute, isOff: boolean, reader: Reader): string {
  if (isOff) return `No longer muted: ${nameText({ ...mute, until: null }, reader)}`
  const end = mute.until === null ? `until trailboss mute ${unmuting(mute)}` : ''
  return `Muted: ${nameText(mute, reader)}${end ? ` ${end}` : ''}. The queue lists it as before.`
}

function nameText({ kind, name, until }: Mute, { now }: Reader): string {
  const what = kind === 'all' ? 'everything' : `${kind} ${displayLine(name)}`
  return until === null ? what : `${what} for ${remainingText(until, now)}`
}

function unmuting(mute: Mute): string {
  const name = displayLine(mute.name)
  return name.startsWith('-') ? `--off -- ${shellWord(name)}` : `${shellWord(name)} --off`
}
