import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type {
  RealAgent,
  RealAgentOptions,
} from '../../test/real-client/support/agents/claude-agent.ts'
import { openPane } from '../../test/real-client/support/agents/pane-program.ts'
import {
  type ClaudePlace,
  claudePlace,
  moveToBackground,
  returnTo,
  runClaude,
} from '../../test/real-client/support/claude-command.ts'
import { cachedClient } from '../../test/real-client/support/client.ts'
import { createGate, holdBack, type Reply } from '../../test/real-client/support/model/reply.ts'
import type { RealWorld } from '../../test/real-client/support/real-world.ts'
import { command } from '../../test/support/command.ts'
import { isAlive, processesIn } from '../../test/support/processes.ts'
import { randomFrom } from '../../test/support/random.ts'
import type { TmuxServer } from '../../test/support/tmux-server.ts'
import type { Look } from './screen-look.ts'
import type { Key, Life } from './truth-rule.ts'
import type { PaneWitness, Seen, Witness } from './witness.ts'

/** What the script did and saw; times in epoch ms. */
export type Diary = {
  keys: Key[]
  lives: Life[]
  /** Which scene a pane was in from `at` on. */
  scenes: { at: number; pane: string; scene: string }[]
}

export type Stage = {
  real: RealWorld
  server: TmuxServer
  witness: Witness
  diary: Diary
  /** 1 is the pace of the bench; less is faster. */
  pace: number
}

/** A server that records when keys are pressed. */
export function notingKeys(server: TmuxServer, keys: Key[]): TmuxServer {
  return {
    ...server,
    run: (...args) => {
      const [command, , pane = '', ...pressed] = args
      if (command === 'send-keys' && pressed[0] !== '-l') {
        keys.push({ at: Date.now(), pane, keys: pressed })
      }
      return server.run(...args)
    },
  }
}

/** One pane in which one Claude Code after another goes through its scenes. */
export class Lane {
  readonly name: string
  readonly #stage: Stage
  readonly #random: () => number
  #agent: RealAgent | undefined
  #witness: PaneWitness | undefined
  #life: Life | undefined
  #job: (ClaudePlace & { id: string }) | undefined
  #prompts = 0

  constructor(name: string, stage: Stage) {
    this.name = name
    this.#stage = stage
    this.#random = randomFrom([...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7))
  }

  get agent(): RealAgent {
    if (!this.#agent) throw new Error(`${this.name} has not started`)
    return this.#agent
  }

  get session(): string {
    return [...(this.#life?.sessions ?? [])].at(-1) ?? ''
  }

  scene(scene: string): void {
    const { diary } = this.#stage
    const pane = this.#life?.pane ?? ''
    diary.scenes.push({ at: Date.now(), pane, scene: `${this.name}: ${scene}` })
  }

  async start(options: RealAgentOptions & { session?: string } = {}): Promise<void> {
    const { real, server, witness, diary } = this.#stage
    const { session = randomUUID(), args = ['--session-id', session], ...rest } = options
    const startedAt = Date.now()
    const agent = await real.start(this.name, {
      ...{ server, args, waitsForComposer: false },
      ...rest,
    })
    this.#agent = agent
    this.#witness = witness.watch(agent.pane.id)
    this.#life = {
      name: this.name,
      pane: agent.pane.id,
      startedAt,
      endedAt: undefined,
      leftAt: Number.POSITIVE_INFINITY,
      clearedAt: [],
      sessions: new Set([session]),
    }
    diary.lives.push(this.#life)
    this.scene('start')
    this.#witness.drawn()
    await this.#witness.until(
      `${this.name} to show a prompt or a dialog`,
      ({ look }) => look === 'prompt' || look === 'dialog',
      { since: startedAt },
    )
  }

  /** Enters a prompt that no other lane has; resolves when the session works on it. */
  async prompt(...replies: Reply[]): Promise<string> {
    const text = this.#plans(replies)
    await this.enter(text)
    await this.works()
    return text
  }

  /** Types a line like a human, and presses Enter. */
  async enter(line: string): Promise<void> {
    await this.agent.type(line)
    await delay(300)
    await this.agent.press('Enter')
  }

  async clear(): Promise<void> {
    await this.enter('/clear')
    this.#life?.clearedAt.push(this.#lastKeyAt())
  }

  works = (): Promise<Seen> => this.#until('work', 'working')
  /** Waits until the session is at its prompt. */
  rests = (): Promise<Seen> => this.#until('rest', 'prompt')
  asks = (): Promise<Seen> => this.#until('ask', 'dialog')
  isSuspended = (): Promise<Seen> => this.#until('be suspended', 'suspended')

  /** Waits for a dialog that shows this text. */
  asksAbout(text: RegExp): Promise<Seen> {
    const isAsked = ({ look, screen }: Seen) => look === 'dialog' && text.test(screen)
    return this.#watching.until(`${this.name} to ask ${text}`, isAsked)
  }

  /** The human looks away for a while: much shorter than in real life, so that the run ends today. */
  async human(): Promise<void> {
    await delay((16_000 + this.#random() * 8_000) * this.#stage.pace)
  }

  /** Waits while something goes on. */
  async lasts(seconds: number): Promise<void> {
    await delay(seconds * 1_000 * this.#stage.pace)
  }

  /** The model thinks about its reply for a while. */
  thinks(reply: Reply, seconds = 12 + this.#random() * 6): Reply {
    if (reply.kind === 'error') return reply
    const gate = createGate()
    void gate.reached.then(() => setTimeout(gate.open, seconds * 1_000 * this.#stage.pace))
    return holdBack(reply, gate)
  }

  /** The script is done with this session. */
  leaves(): void {
    if (this.#life) this.#life.leftAt = Date.now()
  }

  /** Ends the process with `end`, and waits until it is gone. */
  async ends(end: () => Promise<void>): Promise<void> {
    const { pid } = this.agent
    await end()
    await this.#isGone(() => !isAlive(pid))
  }

  /** The session goes to the background and back, in this same pane. */
  async inBackground(play: () => Promise<void>): Promise<void> {
    await moveToBackground(this.agent)
    await this.lasts(4)
    await returnTo(this.agent)
    await play()
  }

  /**
   * Starts a session in the background, as a script outside of tmux would: it never had a pane. The lane's pane
   * has a shell, in which `opens` shows it.
   */
  async startUnseen(...replies: Reply[]): Promise<void> {
    const { real, server, witness, diary } = this.#stage
    const place = claudePlace(real, `${this.name}-${this.#prompts}`)
    const pane = this.#life?.pane ?? (await openPane(server, this.name, real.world.dir))
    this.#witness = witness.watch(pane)
    this.#witness.drawn()
    const prompt = this.#plans(replies)
    this.#life = {
      name: this.name,
      pane,
      startedAt: Date.now(),
      endedAt: undefined,
      leftAt: Number.POSITIVE_INFINITY,
      clearedAt: [],
      isUnseen: true,
      sessions: new Set(),
    }
    diary.lives.push(this.#life)
    this.scene('start')
    const said = await runClaude(place, '--bg', '--permission-mode', 'manual', prompt)
    const [, job] = /backgrounded · (\w+)/.exec(said) ?? []
    if (job === undefined) throw new Error(`${this.name}: claude --bg said no job: ${said}`)
    this.#job = { ...place, id: job }
    await this.#answered(prompt, 1)
  }

  /** The human opens the session in the lane's pane. */
  async opens(look: Look): Promise<void> {
    const { real, server } = this.#stage
    const openedAt = Date.now()
    this.#agent = await real.start(this.name, {
      server,
      args: ['attach', this.#unseen.id],
      isCommand: true,
      cwd: join(real.world.dir, 'projects'),
      inPane: { socket: real.world.tmux.socket, id: this.#life!.pane },
      waitsForComposer: false,
    })
    const isSo = (latest: Seen) => latest.look === look
    await this.#watching.until(`${this.name} to show its ${look}`, isSo, { since: openedAt })
    await this.lasts(2)
  }

  /** Gives the session back to the background with Ctrl-Z. */
  async closes(): Promise<void> {
    await this.agent.press('C-z')
    await this.#until('be back in the shell', 'shell')
  }

  /** Waits until the model has said its last word to the prompt that was given last. */
  async fallsSilent(replies: number): Promise<void> {
    await this.#answered(`Task ${this.name}-${this.#prompts}`, replies)
  }

  /** Ends the session in the background. */
  async stops(): Promise<void> {
    const { id, cwd } = this.#unseen
    const pids = processesIn(cwd)
    if (pids.length === 0) throw new Error(`${this.name} has no process in ${cwd}`)
    await Promise.all([
      runClaude(this.#unseen, 'stop', id),
      this.#isGone(() => !pids.some(isAlive)),
    ])
  }

  /** Runs `claude -p` in this same pane: a session with nobody in front of it. */
  async runsHeadless(prompt: string): Promise<void> {
    const environ = readFileSync(`/proc/${this.agent.pid}/environ`, 'utf8').split('\0')
    const env = Object.fromEntries(
      environ.filter(Boolean).map((entry) => {
        const end = entry.indexOf('=')
        return [entry.slice(0, end), entry.slice(end + 1)]
      }),
    )
    const { binary } = cachedClient()
    const { code, stderr } = await command(binary, ['-p', prompt], {
      env,
      cwd: this.agent.cwd,
      timeoutMs: 60_000,
    })
    if (code !== 0) throw new Error(`claude -p exited ${code}: ${stderr}`)
  }

  /** A directory that nobody has marked as trusted. */
  strangeDirectory(): string {
    const dir = join(this.#stage.real.world.dir, 'strange', this.name)
    mkdirSync(dir, { recursive: true })
    return dir
  }

  /** The human reopens a session from the same shell: with the same id, or another one. */
  async startsAgain(args: string[], session: string): Promise<void> {
    const { pane, cwd } = this.agent
    await this.#until('be back in the shell', 'shell')
    await this.start({ inPane: pane, cwd, args, session })
  }

  async #isGone(isSo: () => boolean): Promise<void> {
    const deadline = Date.now() + 20_000
    while (!isSo()) {
      if (Date.now() > deadline) throw new Error(`${this.name} does not end`)
      await delay(3)
    }
    if (this.#life) this.#life.endedAt = Date.now()
  }

  /** A prompt that no other lane has. */
  #plans(replies: Reply[]): string {
    this.#prompts += 1
    const text = `Task ${this.name}-${this.#prompts}`
    this.#stage.real.model.plan(text, ...replies)
    return text
  }

  /** Waits until the model has given so many replies to this prompt. */
  async #answered(prompt: string, replies: number): Promise<void> {
    const { model } = this.#stage.real
    const deadline = Date.now() + 90_000
    const isSo = () => model.requestsFor(prompt).filter(({ endedAt }) => endedAt).length >= replies
    while (!isSo()) {
      if (Date.now() > deadline) throw new Error(`${this.name}: no answer ${replies} to ${prompt}`)
      await delay(50)
    }
  }

  get #unseen(): ClaudePlace & { id: string } {
    if (!this.#job) throw new Error(`${this.name} has no session in the background`)
    return this.#job
  }

  get #watching(): PaneWitness {
    if (!this.#witness) throw new Error(`${this.name} has not started`)
    return this.#witness
  }

  #until(what: string, look: Look): Promise<Seen> {
    const isSo = (latest: Seen) => latest.look === look
    return this.#watching.until(`${this.name} to ${what}`, isSo, { since: this.#lastKeyAt() })
  }

  #lastKeyAt(): number {
    const pane = this.#life?.pane
    return this.#stage.diary.keys.findLast((key) => key.pane === pane)?.at ?? 0
  }
}
