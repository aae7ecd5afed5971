import { userInfo } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { TrailBossError } from '../core/errors.ts'
import { PLAIN_PATH } from '../core/text.ts'

/** Where each of our files is. `TRAILBOSS_HOME` moves them all. */
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
  hungMark: string
  checkedMark: string
  log: string
  tmuxConf: string
  pidFile: string
  servers: string
}

/** sockaddr_un holds 108 bytes, including the terminating NUL; macOS has 104. */
const MAX_SOCKET_PATH = 103

export function resolvePaths(env: NodeJS.ProcessEnv = process.env): Paths {
  for (const name of ['TRAILBOSS_HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'HOME']) {
    requirePlainPath(name, env[name])
  }
  const own = userHome(env)
  // No slash or dot at its end: with one, a link would look like the directory that it points to.
  const home = resolve(
    env['TRAILBOSS_HOME'] ||
      join(env['XDG_STATE_HOME'] || join(own, '.local', 'state'), 'trailboss'),
  )
  const socket = join(home, 'trailboss.sock')
  if (Buffer.byteLength(socket) > MAX_SOCKET_PATH) {
    throw new TrailBossError('HOME_PATH_TOO_LONG', `The socket path ${socket} is too long.`, {
      hint: 'Set TRAILBOSS_HOME to a shorter path.',
    })
  }
  const configDir = env['TRAILBOSS_HOME']
    ? home
    : join(env['XDG_CONFIG_HOME'] || join(own, '.config'), 'trailboss')
  return {
    home,
    configFile: join(configDir, 'config.json'),
    screenRules: join(configDir, 'screen-rules.json'),
    database: join(home, 'trailboss.db'),
    lock: join(home, 'lock.db'),
    socket,
    token: join(home, 'token'),
    ingestToken: join(home, 'ingest-token'),
    spool: join(home, 'spool'),
    hungMark: join(home, 'daemon-hung'),
    checkedMark: join(home, 'checked'),
    log: join(home, 'trailboss.log'),
    tmuxConf: join(home, 'tmux.conf'),
    pidFile: join(home, 'daemon.pid'),
    servers: join(home, 'servers.json'),
  }
}

/** An empty HOME would make every path in it relative. */
export function userHome(env: NodeJS.ProcessEnv = process.env): string {
  return env['HOME'] || userInfo().homedir
}

function requirePlainPath(name: string, path: string | undefined): void {
  if (!path || PLAIN_PATH.test(path)) return
  if (isAbsolute(path)) {
    const wrong = `${name} is ${JSON.stringify(path)}, which has a control character in it.`
    throw new TrailBossError('BAD_CONFIG', wrong, {
      hint: 'Hooks cannot use such a path: choose one without line breaks and the like.',
    })
  }
  throw new TrailBossError('BAD_CONFIG', `${name} is "${path}", which is no absolute path.`, {
    hint: 'Hooks and keys run in other directories: write it from the root, /…',
  })
}
