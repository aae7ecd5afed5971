import { expect, test } from 'vitest'
import { lineDiff } from './line-diff.ts'

const diff = (before: string | undefined, after: string | undefined) =>
  lineDiff(
    '/home/me/.tmux.conf',
    before === undefined ? undefined : Buffer.from(before),
    after === undefined ? undefined : Buffer.from(after),
  )

test('shows added lines with three lines around them', () => {
  expect(diff('1\n2\n3\n4\n5\n', '1\n2\n3\n4\nnew\n5\n')).toBe(
    [
      '--- /home/me/.tmux.conf',
      '+++ /home/me/.tmux.conf',
      '@@ -2,4 +2,5 @@',
      ' 2',
      ' 3',
      ' 4',
      '+new',
      ' 5',
      '',
    ].join('\n'),
  )
})

test('shows removed lines', () => {
  expect(diff('1\nold\n2\n', '1\n2\n')).toContain('@@ -1,3 +1,2 @@\n 1\n-old\n 2\n')
})

test('a new file starts from nothing, a removed one ends there', () => {
  expect(diff(undefined, 'a\n')).toBe(
    '--- /dev/null\n+++ /home/me/.tmux.conf\n@@ -0,0 +1,1 @@\n+a\n',
  )
  expect(diff('a\n', undefined)).toBe(
    '--- /home/me/.tmux.conf\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n',
  )
})

test('marks a last line without a newline', () => {
  expect(diff('a', 'a\nb')).toContain(
    '-a\n\\ No newline at end of file\n+a\n+b\n\\ No newline at end of file\n',
  )
})

test('is empty when nothing changes', () => {
  expect(diff('a\nb', 'a\nb')).toBe('')
  expect(diff(undefined, undefined)).toBe('')
})

test('lets no escape sequence of the file reach the terminal', () => {
  expect(diff('a\x1b]0;evil\x07b\r\n', 'a\x1b]0;evil\x07b\r\nc\n')).not.toMatch(/\x1b|\r|evil/)
})

test('changes that are far apart are shown separately, without the lines between them', () => {
  const numbers = Array.from({ length: 20 }, (_, index) => String(index + 1))
  const after = numbers.flatMap((line) => (line === '2' || line === '18' ? [line, 'new'] : [line]))
  expect(diff(`${numbers.join('\n')}\n`, `${after.join('\n')}\n`)).toBe(
    [
      '--- /home/me/.tmux.conf',
      '+++ /home/me/.tmux.conf',
      '@@ -1,5 +1,6 @@',
      ...[' 1', ' 2', '+new', ' 3', ' 4', ' 5'],
      '@@ -16,5 +17,6 @@',
      ...[' 16', ' 17', ' 18', '+new', ' 19', ' 20'],
      '',
    ].join('\n'),
  )
})

test('an unchanged line is not shown as removed and added', () => {
  expect(diff('a\nb\nc\n', 'new\na\nb\nother\nc\nlast\n')).toBe(
    [
      '--- /home/me/.tmux.conf',
      '+++ /home/me/.tmux.conf',
      '@@ -1,3 +1,6 @@',
      ...['+new', ' a', ' b', '+other', ' c', '+last', ''],
    ].join('\n'),
  )
})

test('a change in a very long line shows only the changed part', () => {
  const text = diff(`{${'x'.repeat(500)}}\n`, `{${'x'.repeat(500)},"new":1}\n`)
  expect(text).toContain(`\n-… ${'x'.repeat(40)}}\n+… ${'x'.repeat(40)},"new":1}\n`)
})

test('two large files with nothing in common, and a large new one, are fast', () => {
  const large = (word: string) => Array.from({ length: 80_000 }, (_, at) => word + at).join('\n')
  const begun = performance.now()
  expect(diff(large('a'), `${large('b')}\n`)).toContain('\n@@ -1,80000 +1,80000 @@\n-a0\n')
  expect(diff(undefined, large('b'))).toContain('\n@@ -0,0 +1,80000 @@\n+b0\n')
  expect(performance.now() - begun).toBeLessThan(10_000)
})
