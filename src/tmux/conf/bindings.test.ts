import { expect, test } from 'vitest'
import { readBindings } from './bindings.ts'

const bindingsOf = (text: string) =>
  Object.fromEntries([...readBindings(text).bindings].map(([key, { command }]) => [key, command]))

test('reads every way to bind a key after the prefix', () => {
  expect(
    bindingsOf(
      [
        'bind g display-message hi',
        'bind-key -r S next-window',
        "bind -N 'a note' -T prefix C-i last-window",
        'bind -rTprefix m x',
        'unbind z ; bind z kill-pane \\; display done',
        'bind C-M-x {\n  split-window\n}',
      ].join('\n'),
    ),
  ).toEqual({
    g: ['display-message', 'hi'],
    S: ['next-window'],
    tab: ['last-window'],
    m: ['x'],
    z: ['kill-pane', ';', 'display', 'done'],
    'C-M-x': ['\n  split-window\n'],
  })
})

test('other key tables do not matter', () => {
  expect(bindingsOf('bind -n g x\nbind -T copy-mode-vi S y\nbind -Troot Tab z')).toEqual({})
})

test('a key that is unbound again is free', () => {
  expect(bindingsOf('bind g x\nbind S y\nunbind g')).toEqual({ S: ['y'] })
  expect(bindingsOf('bind g x\nbind S y\nunbind -a\nbind m z')).toEqual({ m: ['z'] })
  expect(bindingsOf('bind g x\nunbind -n g\nunbind -T copy-mode -a')).toEqual({ g: ['x'] })
})

test('a binding in a branch counts', () => {
  expect(bindingsOf('if-shell "true" "bind g x" { bind S y }\n%if 1\nbind Tab z\n%endif')).toEqual({
    g: ['x'],
    S: ['y'],
    tab: ['z'],
  })
})

test('a binding that a key would create does not count', () => {
  expect(bindingsOf('bind r { bind g x }')).toEqual({ r: [' bind g x '] })
})

test('reads what list-keys prints', () => {
  expect(
    bindingsOf(
      'bind-key    -T prefix \\"      split-window\nbind-key -r -T prefix Up   select-pane -U\n',
    ),
  ).toEqual({ '"': ['split-window'], up: ['select-pane', '-U'] })
})

test('returns the files that are sourced', () => {
  const { sourced } = readBindings('source-file -q ~/.tmux/a.conf "b c.conf"\nif x { source d }')
  expect(sourced).toEqual(['~/.tmux/a.conf', 'b c.conf', 'd'])
})
