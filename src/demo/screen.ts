import type { Span } from '../text/spans.ts'
import { wrap } from '../text/wrap.ts'
import type { Permission, Question } from './scenarios.ts'
import { ASK, KEY, keyLabel, paintLines, redraw, terminalSize, WORK } from './terminal.ts'

export type Activity =
  | { kind: 'working'; what: string; frame: number }
  | { kind: 'permission'; ask: Permission }
  | { kind: 'question'; ask: Question; selected: number }
  | { kind: 'composer'; text: string; suggestion: string }

export type Scene = {
  name: string
  task: string
  prefix: string
  /** What it did and said so far, oldest first. */
  said: readonly Said[]
  activity: Activity
}

/** `did` is a tool call, `answered` what the human said. */
export type Said = { kind: 'did' | 'result' | 'message' | 'answered'; text: string }

export function drawScene(scene: Scene): void {
  redraw(sceneLines(scene, terminalSize()))
}

/** As much of the conversation as fits, the question, and the keys. */
export function sceneLines(scene: Scene, size: { columns: number; rows: number }): string[] {
  const { columns, rows } = size
  const head: Span[][] = [
    [
      ['strong', ` ${scene.name}`],
      ['dim', `  ${scene.task}`],
    ],
    [['dim', ` ${'─'.repeat(Math.max(0, columns - 2))}`]],
  ]
  const tail = [[], ...activityLines(scene, columns), [], footer(scene.prefix)]
  const said = scene.said.flatMap((entry) => saidLines(entry, columns))
  const room = Math.max(0, rows - head.length - tail.length)
  const lines = [...head, ...said.slice(Math.max(0, said.length - room)), ...tail]
  return paintLines(lines.slice(-rows), columns)
}

function saidLines({ kind, text }: Said, columns: number): Span[][] {
  const { mark, begins, style } = SAID[kind]
  return wrap(text, columns - 6).map((line, index) => [
    [begins, index === 0 ? mark : ' '.repeat(mark.length)],
    [style, line],
  ])
}

const SAID: Record<Said['kind'], { mark: string; begins: Span[0]; style: Span[0] }> = {
  did: { mark: ' ● ', begins: WORK, style: 'plain' },
  result: { mark: '   ⎿ ', begins: 'dim', style: 'dim' },
  message: { mark: ' ● ', begins: 'strong', style: 'plain' },
  answered: { mark: ' ❯ ', begins: KEY, style: 'strong' },
}

function activityLines({ activity }: Scene, columns: number): Span[][] {
  switch (activity.kind) {
    case 'working':
      return [
        [
          [WORK, ` ${SPINNER[activity.frame % SPINNER.length]} ${activity.what}…`],
          ['dim', '  nothing to do here'],
        ],
      ]
    case 'permission':
      return boxed('wants to run a command', columns, [
        ...wrap(activity.ask.command, columns - 6).map((line): Span[] => [['strong', line]]),
        [['dim', activity.ask.description]],
        [],
        [['plain', 'Do you want to proceed?']],
        choice('y', 'yes'),
        choice('n', 'no'),
      ])
    case 'question':
      return boxed('has a question', columns, [
        ...wrap(activity.ask.question, columns - 6).map((line): Span[] => [['strong', line]]),
        [],
        ...activity.ask.options.map(({ label, description }, index): Span[] => [
          [ASK, index === activity.selected ? '❯ ' : '  '],
          [KEY, `${index + 1}`],
          ['plain', `  ${label}`],
          ['dim', `  ${description}`],
        ]),
      ])
    case 'composer':
      return boxed('waits for your answer', columns, [
        [
          [KEY, '❯ '],
          ['plain', activity.text],
          ['plain', '█'],
          ['dim', activity.text === '' ? ` ${activity.suggestion}` : ''],
        ],
        [],
        [
          ['dim', activity.text === '' ? 'Type an answer, or press ' : 'Send it with '],
          [KEY, 'Enter'],
          ['dim', activity.text === '' ? ' for this one' : ''],
        ],
      ])
  }
}

function boxed(title: string, columns: number, lines: Span[][]): Span[][] {
  const rule = '─'.repeat(Math.max(0, columns - title.length - 6))
  return [
    [[ASK, ` ╭─ ${title} ${rule}`]],
    ...lines.map((spans): Span[] => [[ASK, ' │ '], ...spans]),
    [[ASK, ` ╰${'─'.repeat(Math.max(0, columns - 3))}`]],
  ]
}

function choice(key: string, text: string): Span[] {
  return [
    [KEY, `  ${key}`],
    ['plain', `  ${text}`],
  ]
}

function footer(prefix: string): Span[] {
  const keys = [
    ['Tab', 'next'],
    ['g', 'list'],
    ['S', 'skip'],
    ['d', 'leave'],
  ] as const
  return [
    ['dim', ` ${keyLabel(prefix)} then`],
    ...keys.flatMap(([key, text]): Span[] => [
      [KEY, `  ${key}`],
      ['dim', ` ${text}`],
    ]),
  ]
}

const SPINNER = ['·', '✢', '✳', '✶', '✻', '✽', '✻', '✶', '✳', '✢']
