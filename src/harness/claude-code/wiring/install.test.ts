import { describe, expect, test } from 'vitest'
import type { HookRequest } from '../../hook-install/hook-edit.ts'
import { HOOK_EVENTS } from './hook-events.ts'
import { addHooks, removeHooks } from './install.ts'

const PROGRAM = '/opt/trailboss/bin/trailboss-emit'
const COMMAND = `${PROGRAM} claude-code`
const REQUEST: HookRequest = {
  emitter: { program: PROGRAM },
  events: ['Stop', 'Notification'],
  isComplete: true,
}
const HOOK = `{ "hooks": [{ "type": "command", "async": true, "timeout": 5, "command": "${COMMAND}" }] }`
const TIGHT = HOOK.replace(/([{:,]) | (?=})/g, '$1')

const commandsIn = (text: string): Record<string, string[]> => {
  const { hooks } = JSON.parse(text) as {
    hooks: Record<string, { hooks: { command: string }[] }[]>
  }
  return Object.fromEntries(
    Object.entries(hooks).map(([event, groups]) => [
      event,
      groups.flatMap((group) => group.hooks.map(({ command }) => command)),
    ]),
  )
}

describe('our hooks are added', () => {
  test('in a file of their own, a line each', () => {
    const text = `{\n  "hooks": {\n    "Stop": [${HOOK}],\n    "Notification": [${HOOK}]\n  }\n}\n`
    expect(addHooks(undefined, REQUEST)).toBe(text)
    expect(addHooks('', REQUEST)).toBe(text)
    expect(addHooks('{}\n', REQUEST)).toBe(text)
  })

  test('after existing ones, in the same style: tabs, CRLF, no newline at the end', () => {
    expect(addHooks('{\r\n\t"model": "opus"\r\n}', REQUEST)).toBe(
      `{\r\n\t"model": "opus",\r\n\t"hooks": {\r\n\t\t"Stop": [${HOOK}],\r\n\t\t"Notification": [${HOOK}]\r\n\t}\r\n}`,
    )
  })

  test('on the one line of a file that is one line', () => {
    expect(addHooks('{"model":"opus"}', REQUEST)).toBe(
      `{"model":"opus","hooks":{"Stop":[${TIGHT}],"Notification":[${TIGHT}]}}`,
    )
    expect(addHooks('{ "model": "opus" }\n', REQUEST)).toBe(
      `{ "model": "opus", "hooks": { "Stop": [${HOOK}], "Notification": [${HOOK}] } }\n`,
    )
  })

  test("behind other people's hooks for the same event", () => {
    const theirs = `{
  "hooks": {
    "Stop": [
      {
        "hooks": [{ "type": "command", "command": "say done" }]
      }
    ]
  },
  "model": "opus"
}
`
    expect(addHooks(theirs, REQUEST)).toBe(`{
  "hooks": {
    "Stop": [
      {
        "hooks": [{ "type": "command", "command": "say done" }]
      },
      ${HOOK}
    ],
    "Notification": [${HOOK}]
  },
  "model": "opus"
}
`)
  })
})

test('an empty list is filled in place', () => {
  const text = '{\n  "hooks": {\n    "Stop": [],\n    "Notification": []\n  }\n}\n'
  expect(addHooks(text, REQUEST)).toBe(text.replaceAll('[]', `[${HOOK}]`))
})

describe('our hooks that are there already', () => {
  const installed = addHooks('{\n  "model": "opus"\n}\n', REQUEST)

  test('stay as they are, even in another layout', () => {
    const rewritten = JSON.stringify(JSON.parse(installed), null, 4)
    expect(addHooks(installed, REQUEST)).toBe(installed)
    expect(addHooks(rewritten, REQUEST)).toBe(rewritten)
  })

  test('follow the emitter to its new path, in place', () => {
    const moved = addHooks(installed, { ...REQUEST, emitter: { program: '/new/trailboss-emit' } })
    expect(moved).toBe(installed.replaceAll(PROGRAM, '/new/trailboss-emit'))
  })

  test('become async if they were written by hand without it', () => {
    const byHand = installed.replaceAll('"async": true, "timeout": 5, ', '')
    expect(addHooks(byHand, REQUEST)).toBe(
      byHand.replaceAll(`"${COMMAND}"`, `"${COMMAND}", "async": true`),
    )
  })

  test('keep what the user added to them, while they run our emitter', () => {
    const own = installed
      .replace(`"${COMMAND}"`, `"TRAILBOSS_HOME=/mine ${COMMAND}"`)
      .replace('"async": true', '"async": false')
    expect(addHooks(own, REQUEST)).toBe(own)
  })

  test('gain the events that a newer version knows, and lose those that it does not', () => {
    const more: HookRequest = { ...REQUEST, events: ['Stop', 'StopFailure'] }
    expect(Object.keys(commandsIn(addHooks(installed, more)))).toEqual(['Stop', 'StopFailure'])
    const unasked = addHooks(installed, { ...more, isComplete: false })
    expect(Object.keys(commandsIn(unasked))).toEqual(['Stop', 'Notification', 'StopFailure'])
  })

  test('are there only once', () => {
    const twice = installed.replace(HOOK, `${HOOK}, ${HOOK}`)
    expect(commandsIn(twice)['Stop']).toHaveLength(2)
    expect(addHooks(twice, REQUEST)).toBe(installed)
  })
})

describe('our hooks are removed', () => {
  const before = '{\n  "model": "opus"\n}\n'
  const installed = addHooks(before, REQUEST)

  test('and the text is back to the original', () => {
    expect(removeHooks(installed, before)).toBe(before)
    expect(removeHooks(installed, undefined)).toBe(before)
  })

  test('and a file created for them goes', () => {
    expect(removeHooks(addHooks(undefined, REQUEST), undefined)).toBeUndefined()
  })

  test.each(['', '{}', '{ }\n', '{\n}', '{"hooks":{}}', '{\n  "hooks": {\n  },\n  "a": 1\n}'])(
    'and an empty file or list is empty again: %j',
    (text) => {
      expect(removeHooks(addHooks(text, REQUEST), text)).toBe(text)
    },
  )

  test('and an empty list of the user stays beside others', () => {
    const text = '{"hooks":{"Stop":[ ],"PreToolUse":[]}}'
    expect(removeHooks(addHooks(text, REQUEST), text)).toBe(text)
  })

  test('from a file that was rewritten around them', () => {
    const settings = { ...JSON.parse(installed), env: { A: '1' } } as Record<string, unknown>
    const rewritten = JSON.stringify(settings, null, 4)
    expect(JSON.parse(removeHooks(rewritten, before) ?? '')).toEqual({
      model: 'opus',
      env: { A: '1' },
    })
  })

  test('even if they come from elsewhere, share a group, or have an unknown event', () => {
    const text = `{"hooks": {
      "Stop": [{ "matcher": "", "hooks": [{"command": "a"}, {"command": "trailboss emit claude-code"}, {"command": "b"}] }],
      "OldEvent": [{"hooks": [{"command": "'/old one/trailboss-emit' claude-code"}]}],
      "PreToolUse": [{"hooks": [{"command": "/x/trailboss-emit claude-code"}]}, {"hooks": [{"command": "c"}]}]
    }}`
    const rest = removeHooks(text, undefined) ?? ''
    expect(commandsIn(rest)).toEqual({ Stop: ['a', 'b'], PreToolUse: ['c'] })
  })

  test("and other people's stay, whatever they say", () => {
    const theirs = `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"${COMMAND}; say done"}]}, 7, {"hooks": "?"}],"PreToolUse":null}}`
    expect(removeHooks(theirs, undefined)).toBe(theirs)
  })

  test('from before, between and behind what the user has added since', () => {
    const theirs = '{ "hooks": [{ "type": "command", "command": "say done" }] }'
    for (const order of [
      ['Stop', 'Notification', 'PreCompact'],
      ['Stop', 'PreCompact', 'Notification'],
      ['PreCompact', 'Stop', 'Notification'],
    ]) {
      const lines = order.map((key) => `    "${key}": [${key === 'PreCompact' ? theirs : HOOK}]`)
      expect(removeHooks(`{\n  "hooks": {\n${lines.join(',\n')}\n  }\n}\n`, before)).toBe(
        `{\n  "hooks": {\n    "PreCompact": [${theirs}]\n  }\n}\n`,
      )
    }
  })

  test('if the original text cannot be read', () => {
    expect(removeHooks(installed, '{broken')).toBe(before)
  })
})

describe('a file that Claude Code would not accept is refused, with the place', () => {
  test.each([
    ['[]', /^line 1, column 1: the settings are not an object/],
    ['{"hooks": []}', /^line 1, column 11: "hooks" is not an object/],
    ['{"hooks": null}', /"hooks" is not an object/],
    ['{"hooks": {"Stop": {}}}', /column 20: the hooks for Stop are not a list/],
    ['{"hooks": {}, "hooks": {}}', /column 15: "hooks" is there twice/],
    ['{"hooks": {"Stop": [], "Stop": []}}', /"Stop" is there twice/],
    ['{"a": 1,}', /comma too many/],
  ])('%s', (text, message) => {
    expect(() => addHooks(text, { ...REQUEST, events: HOOK_EVENTS })).toThrow(message)
  })

  test('duplicate keys that are not ours are left alone', () => {
    const text = '{"a":1,"a":2}'
    expect(removeHooks(addHooks(text, REQUEST), text)).toBe(text)
  })
})
