import type { Notice } from '../../core/notice/notice-text.ts'
import { plainJson } from '../../core/text.ts'
import { runProgram } from './program.ts'
import { failed, type Sender } from './sender.ts'

const TIMEOUT_MS = 10_000

/** Any program: the notice is JSON on its input, and in its environment. */
export function commandSender(argv: readonly string[], env: NodeJS.ProcessEnv): Sender {
  return async (notice) => {
    if (argv.length === 0)
      return failed('no command is set: add "command" to "notify" in config.json')
    const input = `${plainJson(JSON.stringify(notice))}\n`
    return runProgram(argv, {
      ...{ input, env: { ...env, ...variablesOf(notice) } },
      timeoutMs: TIMEOUT_MS,
    })
  }
}

function variablesOf({ id, level, title, text, line, count }: Notice): Record<string, string> {
  return {
    TRAILBOSS_NOTICE_ID: id,
    TRAILBOSS_NOTICE_LEVEL: level,
    TRAILBOSS_NOTICE_TITLE: title,
    TRAILBOSS_NOTICE_TEXT: text,
    TRAILBOSS_NOTICE_LINE: line,
    TRAILBOSS_NOTICE_COUNT: String(count),
  }
}
