import { displayLine } from '../text.ts'

/** What an item can be told apart by. */
export type Nameable = {
  session: string
  agent?: string
  project: string | null
  branch?: string
  worktree?: string
  window?: string
  pane: { id: string } | null
}

export type NameOptions<Item extends Nameable> = {
  /** The name as it is shown: cut to a column, for instance. It must keep the end of what it cuts. */
  shorten?: (name: string) => string
  /** There is room for the branch, also where nothing else has the same project. */
  isRoomy?: boolean
  /** What is shown of an item beside its name: where that differs, the names may be the same. */
  beside?: (item: Item) => string
}

type Draft<Item extends Nameable = Nameable> = { item: Item; parts: string[]; used: Set<Telling> }
type Telling = (item: Nameable) => string | undefined

/**
 * A name for each item that tells it apart from all others of the list, with no more in it than that takes: the agent or the
 * project, then the first of `TELLING` in which those of the same name differ.
 */
export function itemNames<Item extends Nameable>(
  items: readonly Item[],
  options: NameOptions<Item> = {},
): string[] {
  const { shorten = (name) => name, isRoomy = false, beside = () => '' } = options
  const drafts = items.map((item): Draft<Item> => {
    const draft = { item, parts: [placeName(item)], used: new Set<Telling>() }
    if (isRoomy) add(draft, branchOf)
    return draft
  })
  const shown = ({ item, parts }: Draft<Item>) => `${beside(item)}\n${shorten(parts.join(' '))}`
  let isDone = false
  while (!isDone) {
    const groups = [...Map.groupBy(drafts, shown).values()]
    isDone = groups.filter((same) => same.length > 1 && extend(same)).length === 0
  }
  return numbered(drafts, shown).map((all) => all.slice(all.lastIndexOf('\n') + 1))
}

/** The agent's name, else the project's. */
export function placeName({ agent, project }: Pick<Nameable, 'agent' | 'project'>): string {
  return displayLine(agent ?? project ?? '') || '-'
}

const branchOf: Telling = ({ branch }) => branch

const TELLING: readonly Telling[] = [
  branchOf,
  ({ worktree }) => worktree,
  ({ window }) => window,
  ({ pane }) => pane?.id,
  idStart,
]

/** The beginning of its id; of a decision, of the id that its asker chose. */
export function idStart({ session }: Pick<Nameable, 'session'>): string {
  return session.replace(/^decision-/, '').slice(0, 8)
}

/** Adds the first part in which these differ; false if there is none. */
function extend(same: readonly Draft[]): boolean {
  const found = TELLING.find((telling) => {
    const texts = same.map(({ item, used }) => (used.has(telling) ? '' : textOf(item, telling)))
    return new Set(texts).size > 1
  })
  if (!found) return false
  for (const draft of same) add(draft, found)
  return true
}

function add({ item, parts, used }: Draft, telling: Telling): void {
  const text = textOf(item, telling)
  if (text !== '' && !used.has(telling)) parts.push(text)
  used.add(telling)
}

function textOf(item: Nameable, telling: Telling): string {
  return displayLine(telling(item) ?? '')
}

/** Those that still have the same name get a number. */
function numbered<D extends Draft>(drafts: readonly D[], shown: (draft: D) => string): string[] {
  const counts = Map.groupBy(drafts, shown)
  const taken = new Set(counts.keys())
  return drafts.map((draft) => {
    const name = shown(draft)
    if (counts.get(name)?.length === 1) return name
    for (let number = 1; number <= drafts.length; number++) {
      const own = shown({ ...draft, parts: [...draft.parts, `#${number}`] })
      if (taken.has(own)) continue
      taken.add(own)
      return own
    }
    return name
  })
}
