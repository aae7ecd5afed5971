import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { userHome } from '../../config/paths.ts'
import { isWorkspaceName, type WorkspaceConfig } from '../../config/workspaces.ts'
import { TrailBossError } from '../../core/errors.ts'
import { displayLine } from '../../core/text.ts'
import { findHarnesses, type HarnessFound } from './installed-harnesses.ts'
import type { Ask } from './questions.ts'
import {
  harnessesIn,
  harnessIn,
  type RoleChoice,
  rolesIn,
  rolesOf,
  usualHarnesses,
  withDuties,
} from './role-choice.ts'
import { nameFor, type StartingWorkspace } from './starting-workspace.ts'

/** What the command line gives is not asked. */
export type Given = {
  directory?: string | undefined
  name?: string
  role?: string[]
  orchestrator?: string
  reviewer?: string
}

export type Surroundings = {
  env: NodeJS.ProcessEnv
  configFile: string
  /** The existing workspaces. */
  workspaces: Readonly<Record<string, WorkspaceConfig>>
  /** If absent, the defaults apply. */
  ask: Ask | undefined
  note(text: string): void
}

/** From the flags, then by asking, else from the defaults. Throws if that gives no workspace. */
export async function answersFor(
  given: Given,
  surroundings: Surroundings,
): Promise<StartingWorkspace> {
  const { env, ask, note } = surroundings
  const found = findHarnesses(env)
  if (given.role === undefined) requireInstalled(found)
  if (ask) note(greeting(found))
  const asked = <T>(question: string, usual: string, read: (answer: string) => T) =>
    ask ? ask(question, usual, read) : Promise.resolve(read(usual))
  const directory =
    given.directory === undefined
      ? await asked('Directory', process.cwd(), directoryAt)
      : directoryAt(given.directory)
  const readName = (text: string) => freeName(text, surroundings)
  const name =
    given.name === undefined
      ? await asked('Name of the workspace', nameFor(directory), readName)
      : readName(given.name)
  return { name, directory, ...(await rolesFor(given, found, asked)) }
}

async function rolesFor(
  { role, ...named }: Given,
  found: readonly HarnessFound[],
  asked: Ask,
): Promise<RoleChoice> {
  const harnesses = found.map(({ adapter }) => adapter.harness)
  if (role !== undefined) return withDuties(rolesIn(role, harnesses), named)
  const installed = found.filter(({ program }) => program).map(({ adapter }) => adapter.harness)
  const usual = usualHarnesses(installed)
  const one = (answer: string) => harnessIn(answer, harnesses)
  const several = (answer: string) => harnessesIn(answer, harnesses)
  const roles = rolesOf({
    lead: await asked('Who leads the others?', usual.lead, one),
    workers: await asked('Who works for it? Several with commas', usual.worker, several),
    reviewer: await asked('Who reviews the results?', usual.reviewer, one),
  })
  return withDuties(roles, named)
}

function directoryAt(path: string): string {
  const directory = resolve(path.replace(/^~(?=\/|$)/, userHome()))
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return directory
  throw new TrailBossError('BAD_USAGE', `${displayLine(directory)} is not a directory.`, {
    hint: 'Name the directory where the agents are to run.',
  })
}

function freeName(name: string, { workspaces, configFile }: Surroundings): string {
  if (!isWorkspaceName(name)) {
    throw new TrailBossError('BAD_USAGE', `A workspace cannot be called "${displayLine(name)}".`, {
      hint: 'Up to 40 of these: a-z, 0-9, - and _.',
    })
  }
  const there = Object.hasOwn(workspaces, name) ? workspaces[name] : undefined
  if (!there) return name
  const directories = displayLine(there.directories.join(', '))
  throw new TrailBossError(
    'ALREADY_THERE',
    `There is a workspace ${name} already: ${directories}.`,
    {
      hint: `Nothing was changed. Choose another name (--name), or change it by hand in ${configFile}`,
    },
  )
}

function requireInstalled(found: readonly HarnessFound[]): void {
  if (found.some(({ program }) => program !== undefined)) return
  const titles = found.map(({ adapter }) => adapter.title).join(', ')
  throw new TrailBossError(
    'HARNESS_MISSING',
    `No agent that Trail Boss can run is in PATH: ${titles}.`,
    {
      hint: `Install one, or say which you will have: --role lead=${found[0]?.adapter.harness}. Nothing was changed.`,
    },
  )
}

function greeting(found: readonly HarnessFound[]): string {
  const names = (isThere: boolean) =>
    found
      .filter(({ program }) => (program !== undefined) === isThere)
      .map(({ adapter }) => adapter.harness)
      .join(', ')
  const missing = names(false)
  return `A workspace is where Trail Boss runs agents for you. Enter takes what is in brackets, - is nobody.
Installed here: ${names(true)}${missing && `. Not found: ${missing}`}.`
}
