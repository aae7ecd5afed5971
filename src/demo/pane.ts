import { Keyboard } from './keyboard.ts'
import type { Question } from './scenarios.ts'
import { type Activity, drawScene, type Said } from './screen.ts'

const SPIN_MS = 160
const KEPT = 40

export type PaneSettings = { name: string; task: string; prefix: string; animated: boolean }

/** What the human sees of an agent, and what they type to it. */
export class Pane {
  readonly #settings: PaneSettings
  readonly #keyboard = new Keyboard(process.stdin)
  readonly #said: Said[] = []
  #activity: Activity = { kind: 'working', what: 'Starting', frame: 0 }

  constructor(settings: PaneSettings) {
    this.#settings = settings
    process.stdout.on('error', () => {})
    process.stdout.on('resize', () => this.#draw())
    if (settings.animated) setInterval(() => this.#spin(), SPIN_MS)
    this.#draw()
  }

  say(kind: Said['kind'], text: string): void {
    this.#said.push({ kind, text })
    this.#said.splice(0, this.#said.length - KEPT)
    this.#draw()
  }

  work(what: string): void {
    this.#show({ kind: 'working', what, frame: 0 })
  }

  /** Keys count from here on: anything typed earlier did not answer this. */
  ask(activity: Exclude<Activity, { kind: 'working' }>): void {
    this.#keyboard.clear()
    this.#show(activity)
  }

  async yesOrNo(): Promise<'yes' | 'no'> {
    while (true) {
      const key = await this.#keyboard.next()
      if (key === 'y' || key === '1' || key === 'Enter') return 'yes'
      if (key === 'n' || key === '2' || key === 'Escape') return 'no'
    }
  }

  async choice(ask: Question): Promise<string> {
    let selected = 0
    while (true) {
      const key = await this.#keyboard.next()
      const option = ask.options[key === 'Enter' ? selected : Number(key) - 1]
      if (option) return option.label
      const step = key === 'Down' ? 1 : key === 'Up' ? -1 : 0
      selected = (selected + step + ask.options.length) % ask.options.length
      this.#show({ kind: 'question', ask, selected })
    }
  }

  /** A sentence, or the suggested one if the human only presses Enter. */
  async sentence(suggestion: string): Promise<string> {
    let text = ''
    while (true) {
      this.#show({ kind: 'composer', text, suggestion })
      const key = await this.#keyboard.next()
      if (key === 'Enter') return text.trim() || suggestion
      if (key === 'Backspace') text = [...text].slice(0, -1).join('')
      else if ([...key].length === 1) text += key
    }
  }

  #show(activity: Activity): void {
    this.#activity = activity
    this.#draw()
  }

  #spin(): void {
    if (this.#activity.kind !== 'working') return
    this.#show({ ...this.#activity, frame: this.#activity.frame + 1 })
  }

  #draw(): void {
    drawScene({ ...this.#settings, said: this.#said, activity: this.#activity })
  }
}
