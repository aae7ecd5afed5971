import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

/** What was done to one row. */
export type RowDamage = { table: string; rowId: number; what: string }

/** Every table that a daemon reads, except the one that keeps damaged rows. */
export function tablesOf(path: string): string[] {
  using db = new DatabaseSync(path, { readOnly: true })
  return db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`)
    .all()
    .map(({ name }) => String(name))
    .filter((name) => name !== 'set_aside_rows')
}

/** Corrupts one column of one row, as flipped bits or a foreign program would. */
export function damageRow(path: string, table: string, random: () => number): RowDamage {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  using db = new DatabaseSync(path)
  const restore = loosen(db)
  const rowId = Number(pick(db.prepare(`SELECT rowid AS id FROM ${table}`).all())['id'])
  const columns = db.prepare(`SELECT name FROM pragma_table_info('${table}')`).all()
  const column = String(pick(columns)['name'])
  const before = db.prepare(`SELECT ${column} AS value FROM ${table} WHERE rowid = ?`).get(rowId)
  const value = spoilt(before?.['value'] as SQLInputValue, pick, random)
  for (const trigger of triggersOf(db)) db.exec(`DROP TRIGGER ${trigger.name}`)
  const triggers = restore.triggers
  let what = `${column} = ${shown(value)}`
  try {
    db.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`).run(value, rowId)
  } catch {
    what = 'nothing: another row has that value'
  }
  for (const { sql } of triggers) db.exec(sql)
  restore.tighten()
  return { table, rowId, what }
}

/** Without types and constraints any value can be written, just as a flipped bit on the disk could. */
function loosen(db: DatabaseSync): { triggers: { sql: string }[]; tighten(): void } {
  const triggers = triggersOf(db)
  const strict = db
    .prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%STRICT'`)
    .all()
  const rewrite = (change: (sql: string) => string) => {
    db.enableDefensive?.(false)
    db.exec('PRAGMA writable_schema = ON')
    for (const { name, sql } of strict) {
      db.prepare(`UPDATE sqlite_schema SET sql = ? WHERE name = ? AND type = 'table'`).run(
        change(String(sql)),
        name as string,
      )
    }
    db.exec('PRAGMA writable_schema = RESET')
  }
  rewrite((sql) => sql.replace(/\)\s*STRICT$/, ')').replaceAll('NOT NULL', ''))
  return { triggers, tighten: () => rewrite((sql) => sql) }
}

function triggersOf(db: DatabaseSync): { name: string; sql: string }[] {
  return db.prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`).all() as {
    name: string
    sql: string
  }[]
}

const ABSURD: readonly SQLInputValue[] = [
  null,
  '',
  'zzz',
  '{}',
  '[]',
  'null',
  '[null]',
  '{"a":',
  '"text"',
  0,
  -1,
  1.5,
  9_007_199_254_740_991,
  9_223_372_036_854_775_807n,
  -9_223_372_036_854_775_808n,
  8.64e15,
  new Uint8Array([0, 255, 1]),
]
const WRONG: readonly unknown[] = [null, '', 'zzz', -1, 1e300, 1.5, 9e15, [], {}, true, [null]]

type Pick = <T>(values: readonly T[]) => T

function spoilt(value: SQLInputValue, pick: Pick, random: () => number): SQLInputValue {
  if (typeof value !== 'string') return pick(ABSURD)
  const ways = [
    () => pick(ABSURD),
    () => value.slice(0, Math.floor(random() * value.length)),
    () => flipped(value, random),
    ...(/^[[{]/.test(value) ? Array(4).fill(() => mutated(value, pick)) : []),
  ] as (() => SQLInputValue)[]
  return pick(ways)()
}

function flipped(text: string, random: () => number): string {
  const bytes = Buffer.from(text)
  const at = Math.floor(random() * bytes.length)
  bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8))
  return bytes.toString('latin1')
}

/** Changes or removes one value somewhere in it. */
function mutated(json: string, pick: Pick): string {
  const root = JSON.parse(json) as Record<string, unknown>
  let at = root
  while (Object.keys(at).length > 0) {
    const key = pick(Object.keys(at))
    const next = at[key]
    if (typeof next === 'object' && next !== null && pick([true, true, false])) {
      at = next as Record<string, unknown>
      continue
    }
    if (pick([true, false])) at[key] = pick(WRONG)
    else delete at[key]
    break
  }
  return JSON.stringify(root)
}

function shown(value: SQLInputValue): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 300)) : String(value)
}
