import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ControlBlock, createControlParser } from './control-parser.ts'

type Seen = { answers: [boolean, string[]][]; passed: [boolean, string[]][]; notices: string[] }

/** What a parser makes of the text, cut into pieces of these sizes in turn. */
function parsed(text: string, { due = [] as number[], cuts = [text.length] } = {}): Seen {
  const seen: Seen = { answers: [], passed: [], notices: [] }
  const expected = [...due]
  const plain = ({ ok, lines }: ControlBlock): [boolean, string[]] => [ok, lines.map(String)]
  const parse = createControlParser({
    begun: () => expected.shift() ?? 0,
    answered: (block) => seen.answers.push(plain(block)),
    passed: (block) => seen.passed.push(plain(block)),
    notified: (line) => seen.notices.push(String(line)),
  })
  const bytes = Buffer.from(text)
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = cuts[turn % cuts.length] || 1
    parse(bytes.subarray(at, at + size))
    at += size
  }
  return seen
}

const SESSION = [
  '%begin 1700000000 264 0',
  '%end 1700000000 264 0',
  '%session-changed $0 work',
  '%begin 1700000001 269 1',
  'one',
  '日本 two',
  '%end 1700000001 269 1',
  '%window-renamed @0 [tmux]',
  '%begin 1700000001 270 1',
  "can't find pane: %77",
  '%error 1700000001 270 1',
  '%begin 1700000001 271 0',
  'said by a hook of the operator',
  '%end 1700000001 271 0',
  '%begin 1700000001 272 1',
  '%end 1700000001 272 1',
  '',
].join('\n')

describe('what a control client prints', () => {
  test('is split into answers, blocks of others and notifications', () => {
    expect(parsed(SESSION)).toEqual({
      answers: [
        [true, ['one', '日本 two']],
        [false, ["can't find pane: %77"]],
        [true, []],
      ],
      passed: [
        [true, []],
        [true, ['said by a hook of the operator']],
      ],
      notices: ['%session-changed $0 work', '%window-renamed @0 [tmux]'],
    })
  })

  test('means the same wherever it is cut', () => {
    const whole = parsed(SESSION)
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(sizes, (cuts) => {
        expect(parsed(SESSION, { cuts })).toEqual(whole)
      }),
    )
  })

  test('ends an answer only with the time and the number that it began with', () => {
    const lines = ['%end 1700000000 1 1', '%error 1700000001 269 1', '%begin 1700000001 270 1']
    const text = ['%begin 1700000001 270 1', ...lines, '%end 1700000001 270 1', ''].join('\n')
    expect(parsed(text).answers).toEqual([[true, lines]])
  })

  test('cannot be ended by a screen of known height, whatever is written on it', () => {
    const guards = ['%end 7 3 1', '%error 7 3 1', '%begin 7 4 1', '%exit', '%end 7 4 1', '']
    const row = fc.oneof(fc.constantFrom(...guards), fc.stringMatching(/^[^\n\r]{0,20}$/u))
    fc.assert(
      fc.property(fc.array(row, { maxLength: 30 }), (screen) => {
        const text = ['%begin 7 3 1', ...screen, '%end 7 3 1', '%exit', ''].join('\n')
        const { answers, notices } = parsed(text, { due: [screen.length] })
        expect(answers).toEqual([[true, screen]])
        expect(notices).toEqual(['%exit'])
      }),
    )
  })

  test('is no answer until its last line is complete', () => {
    expect(parsed('%begin 7 3 1\nx\n%end 7 3 1').answers).toEqual([])
  })
})
