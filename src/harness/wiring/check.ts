/** What `trailboss doctor` found about one link of the chain. */
export type Check = {
  name: string
  status: 'ok' | 'warning' | 'broken'
  detail: string
  /** What to do about it; null if there is nothing to do. */
  mend: string | null
}

export function ok(name: string, detail: string): Check {
  return { name, status: 'ok', detail, mend: null }
}

export function warning(name: string, detail: string, mend: string): Check {
  return { name, status: 'warning', detail, mend }
}

export function broken(name: string, detail: string, mend: string): Check {
  return { name, status: 'broken', detail, mend }
}
