// Stands in for `systemctl --user` if there is no user session: it reads the unit like systemd, and runs it. Its
// state, and the verbs that it should refuse, are files in $STUB_SYSTEMD.
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const { STUB_SYSTEMD: state, HOME, XDG_CONFIG_HOME } = process.env
const at = (name) => join(state, name)
const textIn = (name) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : '')
const unitFile = join(XDG_CONFIG_HOME || join(HOME, '.config'), 'systemd/user/trailboss.service')

const [, verb, ...rest] = process.argv.slice(2)
appendFileSync(at('calls'), `${verb}\n`)
if (textIn('refused').split('\n').includes(verb)) {
  process.stderr.write('Failed to connect to bus: No medium found\n')
  process.exit(1)
}
const isNow = rest.includes('--now')
if (verb === 'enable') writeFileSync(at('enabled'), 'yes')
if (verb === 'disable') rmSync(at('enabled'), { force: true })
if (verb === 'is-enabled' && !existsSync(at('enabled'))) process.exit(1)
if (verb === 'stop' || verb === 'restart' || (verb === 'disable' && isNow)) await stop()
if (verb === 'start' || verb === 'restart' || (verb === 'enable' && isNow)) start()
if (verb === 'show') process.stdout.write(`MainPID=${textIn('pid') || 0}\n`)

function start() {
  const lines = readFileSync(unitFile, 'utf8').split('\n')
  const valuesOf = (key) =>
    lines.filter((line) => line.startsWith(`${key}=`)).map((line) => line.slice(key.length + 1))
  const assignments = valuesOf('Environment').flatMap(wordsOf)
  const variables = assignments.map((word) => [
    word.slice(0, word.indexOf('=')),
    word.slice(word.indexOf('=') + 1),
  ])
  const [program, ...args] = wordsOf(valuesOf('ExecStart')[0]).map((w) => w.replaceAll('$$', '$'))
  const env = { HOME, PATH: '/usr/bin:/bin', ...Object.fromEntries(variables) }
  const child = spawn(program, args, { env, cwd: '/', detached: true, stdio: 'ignore' })
  writeFileSync(at('pid'), String(child.pid))
  child.unref()
}

async function stop() {
  const pid = Number(textIn('pid'))
  rmSync(at('pid'), { force: true })
  if (!pid) return
  const isThere = () => existsSync(`/proc/${pid}`)
  if (isThere()) process.kill(pid, 'SIGTERM')
  while (isThere()) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Quotes and C escapes as in systemd.syntax(7), then `%%`. */
function wordsOf(text) {
  const words = text.match(/"(?:[^"\\]|\\.)*"|[^\s"]+/g) ?? []
  return words.map((word) => {
    const inner = word.startsWith('"') ? word.slice(1, -1) : word
    const plain = inner.replace(/\\(?:x([0-9a-f]{2})|(.))/g, (_, hex, character) =>
      hex ? String.fromCharCode(Number.parseInt(hex, 16)) : character,
    )
    return plain.replaceAll('%%', '%')
  })
}
