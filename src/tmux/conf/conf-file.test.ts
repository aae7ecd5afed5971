import fc from 'fast-check'
import { expect, test } from 'vitest'
import { confCommands } from './conf-commands.ts'
import { addBlock, globLiteral, hasBlock, removeBlock } from './conf-file.ts'

const FILE = '/state/trailboss/tmux.conf'
const BLOCK = `# >>> trailboss >>>\nsource-file -q "${FILE}"\n# <<< trailboss <<<`

const added = (text: string) => addBlock(Buffer.from(text), FILE).toString()
const removed = (text: string) => removeBlock(Buffer.from(text))?.bytes.toString()

test('the block goes to the end', () => {
  expect(added('set -g mouse on\n')).toBe(`set -g mouse on\n${BLOCK}\n`)
})

test('a file without a final newline gets that back, and later additions stay intact', () => {
  const block = BLOCK.replace('# >>> trailboss >>>', '# >>> trailboss (ended the line above) >>>')
  expect(added('set -g mouse on')).toBe(`set -g mouse on\n${block}\n`)
  expect(removed(`set -g mouse on\n${block}\n`)).toBe('set -g mouse on')
  expect(removed(`set -g mouse on\n${block}\nbind r x\n`)).toBe('set -g mouse on\nbind r x\n')
})

test('in a file with CRLF lines, every tmux can still read the block', () => {
  expect(added('a\r\nb\r\n')).toBe(`a\r\nb\r\n${BLOCK}\n`)
  expect(removed(`a\r\nb\r\n${BLOCK}\n`)).toBe('a\r\nb\r\n')
})

test('a block whose lines an editor converted to CRLF is removed whole', () => {
  expect(removed(`a\r\n${BLOCK.replaceAll('\n', '\r\n')}\r\nb\r\n`)).toBe('a\r\nb\r\n')
})

test('an empty file becomes empty again, a new one is removed', () => {
  expect(removeBlock(addBlock(Buffer.from(''), FILE))).toEqual({
    bytes: Buffer.from(''),
    empty: false,
  })
  expect(removeBlock(addBlock(undefined, FILE))).toEqual({ bytes: Buffer.from(''), empty: true })
})

test('a file that we created is kept if the user has put something into it', () => {
  const edited = Buffer.concat([addBlock(undefined, FILE), Buffer.from('set -g mouse on\n')])
  expect(removeBlock(edited)).toEqual({ bytes: Buffer.from('set -g mouse on\n'), empty: false })
})

test.each([
  ["run '~/.tmux/plugins/tpm/tpm'", ''],
  ["run '~/.tmux/plugins/tpm/tpm'", '\n'],
  ['run-shell -b ~/.config/tmux/plugins/tpm/tpm', '\n\n'],
  ['if "test -d ~/.tmux/plugins/tpm" "run \'~/.tmux/plugins/tpm/tpm\'"', '\n'],
  ['%if 1\nrun ~/.tmux/plugins/tpm/tpm\n%endif', '\n'],
  ['if-shell true {\n  run ~/.tmux/plugins/tpm/tpm\n}', '\n'],
])('TPM stays last: %j %j', (tpm, end) => {
  const above = "set -g @plugin 'tmux-plugins/tpm'\n\n"
  const comment = '# Initialize TPM\n# (keep this line at the very bottom)\n'
  const text = above + comment + tpm + end
  expect(added(text)).toBe(`${above}${BLOCK}\n${comment}${tpm}${end}`)
  expect(removed(added(text))).toBe(text)
})

test('a commented-out TPM line is no TPM', () => {
  const text = "# run '~/.tmux/plugins/tpm/tpm'\nset -g mouse on\n"
  expect(added(text)).toBe(`${text}${BLOCK}\n`)
})

test('adding twice changes nothing, and a new path replaces the old one', () => {
  const once = addBlock(Buffer.from('a\n'), '/old/tmux.conf')
  expect(addBlock(once, '/old/tmux.conf')).toEqual(once)
  expect(addBlock(Buffer.concat([once, Buffer.from('b\n')]), FILE).toString()).toBe(
    `a\n${BLOCK}\nb\n`,
  )
})

test('what the user wrote around the block after the install stays', () => {
  expect(removed(`before\n${BLOCK}\nafter`)).toBe('before\nafter')
  expect(removed(`before\n# >>> trailboss >>>\n${BLOCK}\nafter\n`)).toBe(
    'before\n# >>> trailboss >>>\nafter\n',
  )
})

test('a block that was edited inside is still removed whole', () => {
  expect(removed('a\n# >>> trailboss >>>\n#source-file x\n\n# <<< trailboss <<<\nb\n')).toBe(
    'a\nb\n',
  )
})

test('half a block does not count as one', () => {
  expect(hasBlock(Buffer.from('# >>> trailboss >>>\nsource-file x\n'))).toBe(false)
  expect(removeBlock(Buffer.from('a\n# <<< trailboss <<<\n'))).toBeUndefined()
})

test('a path with blanks, quotes, dollars and glob characters arrives intact', () => {
  const path = '/a b/it\'s "x" $HOME/[c]*?\\/tmux.conf'
  const line = addBlock(undefined, path).toString().split('\n')[1]!
  expect(confCommands(line)).toEqual([
    { words: ['source-file', '-q', globLiteral(path)], lineStart: 0 },
  ])
  expect(() => addBlock(undefined, '/a\nkill-server')).toThrow(/control character/)
})

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
  fc
    .array(
      fc.constantFrom(
        '\n',
        '\r\n',
        '\r',
        'set -g a b',
        '#',
        "run '~/.tmux/plugins/tpm/tpm'",
        '\\',
        '{',
        '}',
        "'",
        ' ',
        '%if x',
        '%endif',
        '\x00',
        '\xff',
        '⚠',
        '# >>> trailboss >>>',
        '# <<< trailboss <<<',
      ),
      { maxLength: 30 },
    )
    .map((parts) => Buffer.from(parts.join(''))),
)

test('adding and removing restores every file byte for byte', () => {
  fc.assert(
    fc.property(bytes, (original) => {
      fc.pre(!hasBlock(original))
      const installed = addBlock(original, FILE)
      expect(removeBlock(installed)).toEqual({ bytes: original, empty: false })
      expect(addBlock(installed, FILE)).toEqual(installed)
    }),
    { numRuns: 1_000 },
  )
})
