import { expect, test } from 'vitest'
import { muteText } from './notice-text.ts'

const READER = { now: 1_000_000_000, width: 80, home: '/home/op' }

test.each([
  ['api', 'trailboss mute api --off'],
  ['my project', "trailboss mute 'my project' --off"],
  ["x'; rm -r $HOME", "trailboss mute 'x'\\''; rm -r $HOME' --off"],
  ['red\u001b[31m', 'trailboss mute red --off'],
])('a mute of %j names the command that ends it, fit for a shell', (name, off) => {
  const text = muteText({ kind: 'project', name, until: null }, false, READER)
  expect(text).toContain(`until ${off}. The queue lists it as before.`)
})
