import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { TrailBossError } from '../core/errors.ts'

/** Where every file of ours is. `TRAILBOSS_HOME` moves them all. */
export type Paths = {
  home: string
  configFile: string
  screenRules: string
  database: string
  lock: string
  socket: string
  token: string
  ingestToken: string
  spool: string
  log: string
  tmuxConf: string
  pidFile: string
}

export function resolvePaths(env: NodeJS.ProcessEnv = process.env): Paths {
  const userHome = env['HOME'] || homedir()
  const home =
    env['TRAILBOSS_HOME'] ||
    join(env['XDG_STATE_HOME'] || join(userHome, '.local', 'state'), 'trailboss')
  if (!isAbsolute(home)) {
    throw new TrailBossError(
      'BAD_CONFIG',
      `TRAILBOSS_HOME is "${home}", which is no absolute path.`,
      {
        hint: 'Hooks and keys run in other directories: write it from the root, /…',
      },
    )
  }
  const configDir = env['TRAILBOSS_HOME']
    ? home
    : join(env['XDG_CONFIG_HOME'] || join(userHome, '.config'), 'trailboss')
  return {
    home,
    configFile: join(configDir, 'config.json'),
    screenRules: join(configDir, 'screen-rules.json'),
    database: join(home, 'trailboss.db'),
    lock: join(home, 'lock.db'),
    socket: join(home, 'trailboss.sock'),
    token: join(home, 'token'),
    ingestToken: join(home, 'ingest-token'),
    spool: join(home, 'spool'),
    log: join(home, 'trailboss.log'),
    tmuxConf: join(home, 'tmux.conf'),
    pidFile: join(home, 'daemon.pid'),
  }
}
