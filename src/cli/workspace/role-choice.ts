import { isWorkspaceName } from '../../config/workspaces.ts'
import { TrailBossError } from '../../core/errors.ts'
import { displayLine } from '../../core/text.ts'
import type { StartingWorkspace } from './starting-workspace.ts'

/** The roles of a workspace, and which of them lead and review. */
export type RoleChoice = Pick<StartingWorkspace, 'roles' | 'orchestrator' | 'reviewer'>
type Roles = RoleChoice['roles']

/** Who does what by default. If there are two programs, the reviewer is not the one that works. */
export function usualHarnesses(
  installed: readonly string[],
): Record<'lead' | 'worker' | 'reviewer', string> {
  const [first = NOBODY, second = first] = installed
  return { lead: first, worker: first, reviewer: second }
}

/** From who leads, who works (perhaps several) and who reviews. */
export function rolesOf(who: {
  lead: string | undefined
  workers: readonly string[]
  reviewer: string | undefined
}): Roles {
  const { lead, workers, reviewer } = who
  const named = workers.map((harness, at): [string, string] => [
    workers.length === 1 ? 'worker' : `worker-${at + 1}`,
    harness,
  ])
  return {
    ...(lead !== undefined && { lead }),
    ...Object.fromEntries(named),
    ...(reviewer !== undefined && { reviewer }),
  }
}

/** From flags such as `lead=<harness>`. Throws `BAD_USAGE`. */
export function rolesIn(flags: readonly string[], harnesses: readonly string[]): Roles {
  const roles = flags.map((flag) => roleIn(flag, harnesses))
  const twice = roles.find(([role], index) =>
    roles.some(([other], at) => at < index && other === role),
  )
  if (twice) {
    throw new TrailBossError('BAD_USAGE', `The role ${twice[0]} is given twice.`, {
      hint: 'Name each role once. Nothing was changed.',
    })
  }
  return Object.fromEntries(roles)
}

/** The named ones, else `lead` and `reviewer` if there are such roles. Throws `BAD_USAGE`. */
export function withDuties(
  roles: Roles,
  { orchestrator, reviewer }: { orchestrator?: string; reviewer?: string },
): RoleChoice {
  const chosen = (flag: string, role: string | undefined, usual: string) => {
    if (role === undefined) return Object.hasOwn(roles, usual) ? usual : undefined
    if (Object.hasOwn(roles, role)) return role
    throw new TrailBossError('BAD_USAGE', `--${flag} names no role: "${displayLine(role)}".`, {
      hint: `The roles are: ${Object.keys(roles).join(', ')}. Nothing was changed.`,
    })
  }
  return {
    roles,
    orchestrator: chosen('orchestrator', orchestrator, 'lead'),
    reviewer: chosen('reviewer', reviewer, 'reviewer'),
  }
}

/** `-` means nobody. Throws `BAD_USAGE`. */
export function harnessIn(answer: string, harnesses: readonly string[]): string | undefined {
  if (answer === NOBODY) return undefined
  if (harnesses.includes(answer)) return answer
  throw new TrailBossError('BAD_USAGE', `"${displayLine(answer)}" is not known.`, {
    hint: `Trail Boss can run: ${harnesses.join(', ')}; ${NOBODY} for nobody.`,
  })
}

/** Several of them, separated by commas. */
export function harnessesIn(answer: string, harnesses: readonly string[]): string[] {
  return answer.split(/[\s,]+/).flatMap((one) => harnessIn(one, harnesses) ?? [])
}

const NOBODY = '-'

function roleIn(text: string, harnesses: readonly string[]): [role: string, harness: string] {
  const [role = '', harness = '', ...rest] = text.split('=')
  if (rest.length > 0 || harness === '' || !isWorkspaceName(role)) {
    throw new TrailBossError('BAD_USAGE', `"${displayLine(text)}" is not a role and its harness.`, {
      hint: `Write it like this: --role lead=${harnesses[0]}. A role has up to 40 of these: a-z, 0-9, - and _.`,
    })
  }
  if (harnesses.includes(harness)) return [role, harness]
  throw new TrailBossError('BAD_USAGE', `Trail Boss cannot run "${displayLine(harness)}".`, {
    hint: `It can run: ${harnesses.join(', ')}. Nothing was changed.`,
  })
}
