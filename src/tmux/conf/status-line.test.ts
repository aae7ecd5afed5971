import { expect, test } from 'vitest'
import { placeOf } from './status-line.ts'

const place = (options: Record<string, string>) => placeOf(async (name) => options[name] ?? '')

const LINE = '#{T;=/#{status-left-length}:status-left}#{T;=/#{status-right-length}:status-right}'
const SEGMENT = '#{E:@trailboss_segment}'

test.each<[string, Record<string, string>]>([
  ['in the line itself', { 'status-format[0]': `${LINE} ${SEGMENT}` }],
  ['in a side of it', { 'status-format[0]': LINE, 'status-right': `x ${SEGMENT}` }],
  [
    "in a theme's own option, over a ring of options",
    {
      'status-format[0]': LINE,
      'status-left': '#{E:@theme-left}',
      '@theme-left': '#{E:@theme_part}',
      '@theme_part': `#{@theme-left}${SEGMENT}`,
    },
  ],
  ['in a second row', { status: '2', 'status-format[1]': SEGMENT }],
])('it is shown: %s', async (_name, options) => {
  expect(await place(options)).toBe('shown')
})

test.each<[string, Record<string, string>]>([
  ['nowhere', { 'status-format[0]': LINE, 'status-right': 'mine' }],
  ['in a side that the line leaves out', { 'status-format[0]': 'x', 'status-right': SEGMENT }],
  ['in a row that is not drawn', { status: 'on', 'status-format[1]': SEGMENT }],
])('it is absent: %s', async (_name, options) => {
  expect(await place(options)).toBe('absent')
})

test('a line that is switched off shows nothing', async () => {
  expect(await place({ status: 'off', 'status-format[0]': SEGMENT })).toBe('no status line')
})
