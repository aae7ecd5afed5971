/** Draws docs/images/identity-popup.svg: ten agents in three repositories, in a popup of 80 columns. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createWorld } from '../test/support/create-world.ts'
import { resizeTerminal, startTenAgents } from '../test/support/ten-agents.ts'
import { terminalSvg } from './terminal-svg.ts'

const FILE = fileURLToPath(new URL('../docs/images/identity-popup.svg', import.meta.url))
const LABEL = 'The popup: ten agents in three repositories, each with a name of its own'
/** The popup takes nine tenths of it, and its frame two columns. */
const SIZE = { columns: 92, rows: 38 }
const SELECTED = 3

await using world = await createWorld({ config: { reconcileMs: 500 } })
resizeTerminal(world, SIZE.columns, SIZE.rows)
await world.tmux.run('set-option', '-g', 'status-right', '')
await world.operator.type("PS1='$ '; clear")
await world.operator.press('Enter')
const agents = await startTenAgents(world)
await world.waitForQueue('the names to be seen', (items) =>
  items.every(({ window }) => window && !window.includes('agent')),
)
const target = ['-t', agents[SELECTED]?.pane.id ?? '']
const tty = await world.tmux.run('display-message', '-p', ...target, '#{pane_tty}')
const rule = '─'.repeat(60)
const shown = ['● Read src/session.ts', '● Ran npm test', '    1 failed: keeps the login', '']
const ask = ['● The token expires too early. May I change the cache?', '', rule, '❯ ', rule]
writeFileSync(tty, `\u001b[2J\u001b[H${[...shown, ...ask].join('\r\n')}`)

await world.operator.openPopup()
await world.operator.press(...Array.from({ length: SELECTED }, () => 'j'))
await world.operator.waitToSee(/"Fix the login"[\s\S]*1 failed[\s\S]*May I change/)
const screen = await world.operator.screen('-e')
writeFileSync(FILE, terminalSvg(screen, SIZE.columns, LABEL))
process.stdout.write(`${screen.replaceAll(/\u001b\[[\d;:]*m/g, '')}\n\nDrawn to ${FILE}\n`)
