import { parseArgs } from 'node:util'
import { runAgent } from './agent.ts'
import { livePace, steeredPace } from './pace.ts'
import { scenarioOf } from './scenarios.ts'
import { runWelcome } from './welcome.ts'

/** `demo-agent.mjs <name> --emitter FILE --prefix KEY [--steer DIR]`, or `demo-agent.mjs welcome …`. */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    emitter: { type: 'string', default: '' },
    prefix: { type: 'string', default: 'C-b' },
    steer: { type: 'string' },
  },
})
const [name = ''] = positionals

if (name === 'welcome') {
  runWelcome(values.prefix)
} else {
  const pace = values.steer === undefined ? livePace() : steeredPace(values.steer, name)
  await runAgent({
    name,
    scenario: scenarioOf(name),
    hookCommand: [values.emitter, 'claude-code'],
    prefix: values.prefix,
    pace,
  })
}
