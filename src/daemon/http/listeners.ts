import type { Server } from 'node:http'
import type { StatusView } from '../../contract/responses.ts'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import { HomeWatch } from '../home/home-watch.ts'
import type { DaemonSettings, Warn } from '../home/settings.ts'
import { ensureToken } from '../home/token-file.ts'
import { type AppParts, createApp } from './app.ts'
import { closeServer, listenTcp, listenUnix } from './listen.ts'

const WITHOUT_PORT =
  'Keys, commands and hooks work without it; other tools cannot reach Trail Boss over TCP.'

/** The daemon's socket, which it recreates if somebody removes it, and its port. */
export class Listeners implements AsyncDisposable {
  readonly #app: AppParts
  readonly #settings: DaemonSettings
  readonly #warn: Warn
  #home: HomeWatch | undefined
  #unix: Server | undefined
  #tcp: Server | undefined

  constructor(app: AppParts, settings: DaemonSettings, warn: Warn) {
    this.#app = app
    this.#settings = settings
    this.#warn = warn
  }

  /** Null if no port was requested. */
  get tcp(): StatusView['tcp'] {
    const { port } = this.#settings.config
    return port === 0 ? null : { port, listening: this.#tcp !== undefined }
  }

  async open(): Promise<void> {
    this.#unix = await this.#listenUnix()
    this.#home = new HomeWatch(this.#settings.paths)
    await this.#listenTcp()
  }

  async lookAtHome(): Promise<void> {
    const { log, lost, paths } = this.#settings
    const state = this.#home?.look()
    if (state === 'gone') lost()
    if (state !== 'deaf') return
    log.warn({ socket: paths.socket }, 'socket file removed')
    if (this.#unix) await closeServer(this.#unix)
    this.#unix = await this.#listenUnix()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#unix, this.#tcp].map((server) => server && closeServer(server)))
  }

  #listenUnix(): Promise<Server> {
    return listenUnix(createApp(this.#app, { kind: 'unix' }), this.#settings.paths.socket)
  }

  /**
   * We do not depend on the port, so a daemon that cannot get it continues without. It does not try again: that
   * would take the port from a program that is only being restarted.
   */
  async #listenTcp(): Promise<void> {
    const { config, log } = this.#settings
    const { port } = config
    if (port === 0) return
    const tokens = this.#tokens()
    if (!tokens) return
    const app = createApp(this.#app, { kind: 'tcp', port, tokens })
    try {
      this.#tcp = await listenTcp(app, port)
      log.info({ port }, 'listening')
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      const why = isTaken ? 'is taken by another program' : `cannot be used (${messageOf(error)})`
      this.#warn(
        `Port ${port} on 127.0.0.1 ${why}. ${WITHOUT_PORT} See who has it: trailboss doctor`,
        'port',
      )
      log.warn({ port, reason: messageOf(error) }, isTaken ? 'port taken' : 'port unusable')
    }
  }

  /** Undefined if tokens cannot be created. */
  #tokens(): { full: string; ingest: string } | undefined {
    const { token, ingestToken } = this.#settings.paths
    try {
      return { full: this.#token(token), ingest: this.#token(ingestToken) }
    } catch (error) {
      const hint = error instanceof TrailBossError ? error.hint : undefined
      this.#warn([messageOf(error), WITHOUT_PORT, hint].filter(Boolean).join(' '))
      return undefined
    }
  }

  #token(path: string): string {
    const { token, replaced } = ensureToken(path)
    if (replaced !== undefined) {
      this.#warn(
        `${path} ${replaced}. The token was replaced: give the new one to whatever uses it.`,
      )
    }
    return token
  }
}
