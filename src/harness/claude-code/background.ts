import { basename, dirname, join } from 'node:path'
import { JOB_NAME } from '../../core/session/event.ts'
import type { BackgroundSessions } from '../adapter/adapter.ts'

/** `claude --bg`, and a session that was moved there: run by a process without a terminal, shown by `claude attach`. */
export const background: BackgroundSessions = {
  viewOf([, ...words]) {
    // An interpreter names the program's file first.
    const [command = '', job = ''] = words[0]?.includes('/') ? words.slice(1) : words
    if (!VIEWERS.has(command)) return undefined
    return command === 'attach' && JOB_NAME.test(job) ? { job } : {}
  },
  openCommand({ job, program, transcript, home }) {
    const command = [program ?? 'claude', 'attach', job]
    const config = transcript === undefined ? undefined : configOf(transcript)
    // Where the default is named, Claude Code looks for its other files in another place.
    const isDefault =
      config === undefined || (home !== undefined && config === join(home, '.claude'))
    const place = isDefault ? ['-u', 'CLAUDE_CONFIG_DIR'] : [`CLAUDE_CONFIG_DIR=${config}`]
    // The tmux server may have been started by an agent.
    return ['env', '-u', 'CLAUDECODE', ...place, ...command]
  },
}

const VIEWERS = new Set(['attach', 'agents'])

/** `<config>/projects/<project>/<session>.jsonl` */
function configOf(transcript: string): string | undefined {
  const projects = dirname(dirname(transcript))
  return basename(projects) === 'projects' ? dirname(projects) : undefined
}
