import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** `~/.claude/sessions/<pid>.json`, in which Claude Code 2.1.139 and later publish their state. */
export function createStatusFile(enabled) {
  const config = process.env.CLAUDE_CONFIG_DIR || join(process.env.HOME, '.claude')
  const file = join(config, 'sessions', `${process.pid}.json`)
  const startedAt = Date.now()

  return {
    write(session, { status, waitingFor }) {
      if (!enabled) return
      const content = {
        pid: process.pid,
        sessionId: session.id,
        cwd: session.cwd,
        startedAt,
        procStart: processStart(),
        version: '2.1.325',
        kind: 'interactive',
        entrypoint: 'cli',
        ...(process.env.TMUX_PANE && { tmux: `work:@0.${process.env.TMUX_PANE}` }),
        status,
        ...(waitingFor && { waitingFor }),
        updatedAt: Date.now(),
        statusUpdatedAt: Date.now(),
      }
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(`${file}.tmp`, JSON.stringify(content))
      renameSync(`${file}.tmp`, file)
    },
    remove() {
      rmSync(file, { force: true })
    },
  }
}

/** Field 22 of `/proc/<pid>/stat`. */
function processStart() {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return ''
  }
}
