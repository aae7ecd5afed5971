import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TRAILBOSS } from '../create-world.ts'

const FAKE_AGENT = fileURLToPath(new URL('./fake-agent/fake-agent.mjs', import.meta.url))

/**
 * The fake agent as a program under the name of a real one, for `PATH`. It tells its version, so that install does
 * not have to guess, and keeps its log, faults and transcript in `dir`. Returns the directory of the program.
 */
export function fakeProgram(name: string, dir: string): string {
  const bin = join(dir, 'bin')
  mkdirSync(bin, { recursive: true })
  const own = (what: string) => `'${join(dir, `${name}.${what}`)}'`
  const options = `--log ${own('log')} --faults ${own('faults')} --emit '${TRAILBOSS}-emit' --transcript ${own('transcript')}`
  writeFileSync(
    join(bin, name),
    `#!/bin/sh
case $1 in
  --version) echo '2.1.100 (Claude Code)'; exit ;;
esac
exec '${process.execPath}' '${FAKE_AGENT}' ${options} "$@"
`,
    { mode: 0o755 },
  )
  return bin
}
