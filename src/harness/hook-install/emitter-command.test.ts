import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as own from './emitter-command.ts'

const emitterCommand = (emitter: own.Emitter) => own.emitterCommand(emitter, 'claude-code')
const emitterIn = (command: string) => own.emitterIn(command, 'claude-code')
const PROGRAM = '/opt/trailboss/bin/trailboss-emit'

describe("a hook's command", () => {
  test('is the emitter and the harness; anything that a shell would split is quoted', () => {
    expect(emitterCommand({ program: PROGRAM })).toBe(`${PROGRAM} claude-code`)
    expect(emitterCommand({ program: "/it's here/trailboss-emit" })).toBe(
      "'/it'\\''s here/trailboss-emit' claude-code",
    )
    expect(emitterCommand({ program: PROGRAM, home: '/a b' })).toBe(
      `TRAILBOSS_HOME=\${TRAILBOSS_HOME:-'/a b'} ${PROGRAM} claude-code`,
    )
  })

  test('with a control character in a path is refused', () => {
    expect(() => emitterCommand({ program: '/a\nb/trailboss-emit' })).toThrow(/control character/)
    expect(() => emitterCommand({ program: PROGRAM, home: '/\x1b' })).toThrow(/control character/)
  })

  test('of ours is recognised, wherever the emitter was', () => {
    const path = fc.string({ unit: 'grapheme-ascii', maxLength: 20 }).map((name) => `/${name}`)
    fc.assert(
      fc.property(path, fc.option(path, { nil: undefined }), (dir, home) => {
        const program = `${dir}/trailboss-emit`
        const command = emitterCommand({ program, ...(home !== undefined && { home }) })
        expect(emitterIn(command)).toEqual({ program, isOurs: true })
      }),
      { numRuns: 300 },
    )
  })

  test.each([
    ['trailboss-emit claude-code', 'trailboss-emit', true],
    ['"/old place/trailboss-emit" claude-code', '/old place/trailboss-emit', true],
    ['/old\\ place/trailboss-emit  claude-code ', '/old place/trailboss-emit', true],
    ['/usr/bin/trailboss emit claude-code', '/usr/bin/trailboss', true],
    [`TRAILBOSS_HOME=/x ${PROGRAM} claude-code`, PROGRAM, false],
  ])('%s runs the emitter', (command, program, isOurs) => {
    expect(emitterIn(command)).toEqual({ program, isOurs })
  })

  test.each([
    '',
    'say done',
    `${PROGRAM} codex`,
    `${PROGRAM} claude-code extra`,
    `${PROGRAM} claude-code && say done`,
    `${PROGRAM} claude-code; say done`,
    `tee /tmp/log | ${PROGRAM} claude-code`,
    `echo "${PROGRAM} claude-code"`,
    `my-${'trailboss-emit'} claude-code`,
    '/opt/trailboss-emit/other claude-code',
    'A=1 B=2',
  ])("%s is somebody else's", (command) => {
    expect(emitterIn(command)).toBeUndefined()
  })
})
