import { displayLine } from '../../core/text.ts'
import { createContext } from '../context.ts'
import { age, print, printJson } from '../output.ts'
import { table } from '../table.ts'

export async function explain(target: string, options: { json?: boolean }): Promise<void> {
  const { client } = createContext()
  const view = await client.explain(target)
  if (options.json) return printJson(view)
  const state = view.reason ? `${view.state} (${view.reason})` : view.state
  print(
    `${displayLine(view.harness)} ${displayLine(view.session)} is ${state}: ${displayLine(view.why)}`,
  )
  print(view.pane ? `pane ${view.pane.id} on ${displayLine(view.pane.socket)}` : 'no pane')
  if (view.because.length === 0) return
  print('')
  const header = ['', 'SOURCE', 'CLAIM', 'AGE', 'DETAIL']
  const rows = view.because.map((evidence) => [
    evidence.decided ? '→' : '',
    evidence.source,
    evidence.claim,
    age(evidence.at),
    evidence.detail ?? '',
  ])
  print(table([header, ...rows]))
}
