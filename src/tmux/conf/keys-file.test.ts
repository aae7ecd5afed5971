import { expect, test } from 'vitest'
import { renderConf } from './keys.ts'
import { readKeysFile } from './keys-file.ts'

const launcher = '/opt/trailboss/bin/trailboss'

test.each([
  { keys: { next: 'Tab', popup: 'g', skip: 'S' }, status: false, start: true },
  { keys: { next: 'M-n', popup: 'C-Space', skip: 'F5' }, status: true, start: true },
  { keys: { next: 'Tab', back: 'B', dismiss: 'D', drain: 'M-d' }, status: false, start: true },
  { keys: { popup: '@' }, status: true, start: false },
  { keys: {}, status: false, start: false },
])('reads back what was written: %j', (choice) => {
  expect(readKeysFile(renderConf({ launcher, env: {}, ...choice }))).toEqual(choice)
})

test('an emptied file holds no choice of keys', () => {
  expect(readKeysFile('')).toEqual({ keys: {}, status: false, start: true })
})
