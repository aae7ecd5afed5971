import { statSync } from 'node:fs'
import { type Config, loadConfig } from '../../config/config.ts'
import { changedSettings, RELOADABLE } from '../../config/config-drift.ts'
import type { Warning } from '../../contract/responses.ts'
import { messageOf } from '../../core/errors.ts'
import type { DaemonSettings } from './settings.ts'

/** How config.json differs from what the daemon goes by. `broken`: it cannot be read as it is now. */
type Drift =
  | { kind: 'none' }
  | { kind: 'changed'; settings: string[] }
  | { kind: 'broken'; why: string }

/** What the daemon goes by, and whether config.json still says the same. */
export class ConfigWatch {
  readonly #file: string
  readonly #env: NodeJS.ProcessEnv
  #config: Config
  #stamp: string | undefined
  #drift: Drift = { kind: 'none' }

  constructor({ paths, config, env }: Pick<DaemonSettings, 'paths' | 'config' | 'env'>) {
    this.#file = paths.configFile
    this.#env = env
    this.#config = config
  }

  get file(): string {
    return this.#file
  }

  get workspaces(): Config['workspaces'] {
    return this.#config.workspaces
  }

  /** From now on the workspaces are those of the file. Throws `BAD_CONFIG`, and nothing has changed then. */
  reload(): void {
    const { workspaces } = loadConfig(this.#file, this.#env)
    this.#config = { ...this.#config, workspaces }
    this.#stamp = undefined
  }

  /** The settings of the file that the daemon does not go by yet. */
  changed(): string[] {
    const drift = this.#look()
    return drift.kind === 'changed' ? drift.settings : []
  }

  warnings(): Warning[] {
    const text = sentenceOf(this.#file, this.#look())
    return text === undefined ? [] : [{ kind: 'config', text }]
  }

  /** A file that nobody touched costs a look at its inode. */
  #look(): Drift {
    const stamp = stampOf(this.#file)
    if (stamp === this.#stamp) return this.#drift
    this.#stamp = stamp
    this.#drift = this.#compare()
    return this.#drift
  }

  #compare(): Drift {
    try {
      const settings = changedSettings(this.#config, loadConfig(this.#file, this.#env))
      return settings.length === 0 ? { kind: 'none' } : { kind: 'changed', settings }
    } catch (error) {
      return { kind: 'broken', why: messageOf(error) }
    }
  }
}

function sentenceOf(file: string, drift: Drift): string | undefined {
  switch (drift.kind) {
    case 'none':
      return undefined
    case 'broken':
      return `The configuration has changed since the daemon read it, and cannot be used: ${drift.why}`
    case 'changed':
      return `${file} has changed since the daemon read it: ${waysOf(drift.settings).join(', ')}.`
    default:
      return drift satisfies never
  }
}

/** How to have the daemon go by them. */
function waysOf(settings: readonly string[]): string[] {
  const others = settings.filter((name) => name !== RELOADABLE)
  return [
    ...(others.length < settings.length
      ? [`trailboss workspace reload takes in its ${RELOADABLE}`]
      : []),
    ...(others.length > 0 ? [`trailboss restart takes in ${others.join(', ')}`] : []),
  ]
}

/** Another one after each change; a missing file has one, too. */
function stampOf(file: string): string {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true })
    return `${ino}:${size}:${mtimeNs}:${ctimeNs}`
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}
