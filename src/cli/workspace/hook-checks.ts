import { messageOf, TrailBossError } from '../../core/errors.ts'
import type { Adapter, WiredAdapter } from '../../harness/adapter/adapter.ts'
import { wiredAdapters } from '../../harness/registry.ts'
import { broken, type Check, ok } from '../../harness/wiring/check.ts'
import type { Site } from '../../harness/wiring/wiring.ts'
import { createSite } from '../install/site.ts'

/** Whether these harnesses report their prompts by hooks, and what it costs if they do not. */
export async function hookChecks(harnesses: readonly string[], site: Site): Promise<Check[]> {
  const checks: Check[] = []
  for (const adapter of wiredAdapters().filter(({ harness }) => harnesses.includes(harness))) {
    checks.push((await lookAtHooks(adapter, site)).check)
  }
  return checks
}

/** `isMissing`: an install would add something. */
export async function lookAtHooks(
  adapter: WiredAdapter,
  { env }: Pick<Site, 'env'>,
): Promise<{ check: Check; isMissing: boolean }> {
  const { wiring, title } = adapter
  // It only looks: it asks nothing and prints nothing.
  const { site } = createSite({ env, note: () => undefined })
  try {
    const check = await wiring.check(site)
    if (check.status === 'ok') return { check, isMissing: false }
    const plan = await wiring.install.plan(site, {})
    const writes = 'writes' in plan ? plan.writes : []
    const isMissing = writes.some(({ path, after }) => site.peek(path) !== after)
    if (isMissing || plan.obstacles.length > 0) {
      return { check: { ...check, detail: `${check.detail}; ${costOf(adapter)}` }, isMissing }
    }
    // Other problems with its hooks do not matter for an agent that we start in a pane of our own.
    return { check: ok(title, 'its hooks are installed'), isMissing }
  } catch (error) {
    if (!(error instanceof TrailBossError)) throw error
    const check = broken(title, messageOf(error), error.hint ?? 'Correct it by hand.')
    return { check, isMissing: false }
  }
}

function costOf({ transcript }: Adapter): string {
  return transcript
    ? 'that a prompt has arrived is then proved by its transcript alone'
    : 'nothing proves then that a prompt has arrived'
}
