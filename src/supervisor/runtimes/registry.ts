import { TrailBossError } from '../../core/errors.ts'
import type { Runtime } from '../../core/supervisor/runtime/runtime.ts'
import { displayLine, truncate } from '../../core/text.ts'
import { inTransaction } from '../../store/database/database.ts'
import { deleteRuntime, listRuntimes, saveRuntime } from '../../store/tables/runtimes.ts'
import type { SupervisorContext } from '../context/context.ts'

/** The registered runtimes, as stored in the database. */
export type Registry = {
  list(): Runtime[]
  find(runtimeId: string): Runtime | undefined
  ofAgent(agentId: string): Runtime | undefined
  /** Throws `NOT_FOUND`. */
  requireAgent(agentId: string): Runtime
  /** All or nothing. What is saved and removed in it counts only once it is on disk. */
  change<T>(work: () => T): T
  save(runtime: Runtime): void
  remove(runtimeId: string): void
}

export function createRegistry({ db }: Pick<SupervisorContext, 'db'>): Registry {
  let known = read()
  function read(): Map<string, Runtime> {
    return new Map(listRuntimes(db).map((runtime) => [runtime.runtimeId, runtime]))
  }
  const ofAgent = (agentId: string) =>
    [...known.values()].find((runtime) => runtime.agentId === agentId)

  return {
    list: () => [...known.values()],
    find: (runtimeId) => known.get(runtimeId),
    ofAgent,
    requireAgent(agentId) {
      const runtime = ofAgent(agentId)
      if (runtime) return runtime
      const name = truncate(displayLine(agentId), 80)
      throw new TrailBossError('NOT_FOUND', `No runtime is registered for "${name}".`, {
        hint: `trailboss runtime start ${name} registers and starts it, if the configuration names it.`,
      })
    },
    change(work) {
      try {
        return inTransaction(db, work)
      } catch (error) {
        known = read()
        throw error
      }
    },
    save(runtime) {
      saveRuntime(db, runtime)
      known.set(runtime.runtimeId, runtime)
    },
    remove(runtimeId) {
      deleteRuntime(db, runtimeId)
      known.delete(runtimeId)
    },
  }
}
