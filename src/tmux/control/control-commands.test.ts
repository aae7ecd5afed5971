import { describe, expect, test } from 'vitest'
import { requireHarmless } from './control-commands.ts'

describe('the control client', () => {
  test.each([
    [['capture-pane', '-p', '-t', '%1']],
    [['display-message', '-p', '-t', '%1', '#{pane_id}']],
    [['list-panes', '-a', '-F', '#{pane_id}']],
    [['set-option', '-gq', '@trailboss_head', '%1']],
    [['set-option', '-gqu', '@trailboss_head']],
    [['refresh-client', '-B', 'name::#{pid}']],
    [['switch-client', '-E', '-t', '$1']],
  ])('may look, and set our own options: %j', (words) => {
    expect(() => requireHarmless(words)).not.toThrow()
  })

  test.each([
    [[]],
    [['']],
    [['send-keys', '-t', '%1', 'y']],
    [['send', '-t', '%1', 'y']],
    [['paste-buffer', '-t', '%1']],
    [['respawn-pane', '-k', '-t', '%1']],
    [['kill-pane', '-t', '%1']],
    [['run-shell', 'true']],
    [['if-shell', 'true', 'send-keys y']],
    [['constructor']],
    [['capture-pane', '-t', '%1']],
    [['display-message', 'hello']],
    [['display-message', '-p', '#(touch /tmp/x)']],
    [['set-option', '-g', 'status', 'off']],
    [['set-option', '-gq', 'status', 'off']],
    [['set-option', '-gF', '@trailboss_head', '#{pid}']],
    [['set-option', '-gq', '@other', '1']],
    [['switch-client', '-c', '/dev/pts/1', '-t', '$1']],
    [['switch-client', '-c/dev/pts/1', '-t', '$1']],
    [['refresh-client', '-S']],
  ])('may not run %j', (words) => {
    expect(() => requireHarmless(words)).toThrow('is not to run')
  })
})
