import {
  after,
  apiError,
  askUser,
  bash,
  createGate,
  edit,
  exitPlanMode,
  mcp,
  read,
  say,
  startSubagent,
  tool,
  uses,
  writePlan,
} from '../support/model/reply.ts'
import type { Scenario, Stage } from './scenario.ts'

const MARKER = bash('touch a-marker && sleep 2 && echo ran', { description: 'Create marker' })
const PAIR = uses(
  tool('Bash', { command: 'touch b1 && echo one', description: 'One' }),
  tool('Bash', { command: 'touch b2 && echo two', description: 'Two' }),
)
const COLOUR = askUser('Which colour?', ['Red', 'Blue'])

export const SCENARIOS: Scenario[] = [
  ...answers(),
  ...pairs(),
  ...questions(),
  ...interrupts(),
  ...commands(),
  ...background(),
]

function answers(): Scenario[] {
  const asked = (answer: (stage: Stage) => Promise<void>) => async (stage: Stage) => {
    await stage.agent.prompt('Make the marker file', MARKER, say('Bash finished.'))
    await stage.agent.waitForDialog()
    await stage.recorder.settled()
    await answer(stage)
    await stage.over()
  }
  return [
    { name: 'approved', play: asked(({ agent }) => agent.approve()) },
    { name: 'denied', play: asked(({ agent }) => agent.deny()) },
    {
      name: 'approved-with-feedback',
      play: asked(({ agent }) => agent.approveWithFeedback('then rest')),
    },
    {
      name: 'denied-with-feedback',
      play: asked(({ agent }) => agent.denyWithFeedback('use make')),
    },
    {
      name: 'permission-notified',
      play: asked(async ({ agent, heard }) => {
        await heard('Notification')
        await agent.approve()
      }),
    },
    {
      name: 'tool-failed',
      play: async ({ agent, over }) => {
        const failing = bash('touch zz; exit 3', { description: 'Fails' })
        await agent.prompt('Run the failing command', failing, say('Failed ok.'))
        await agent.approve()
        await over()
      },
    },
    {
      name: 'edit-relative-path',
      files: { project: { 'w.txt': 'line 1\nline two\n' } },
      play: async ({ agent, recorder, over }) => {
        const replies = [read('w.txt'), edit('w.txt', 'line two', 'line 2'), say('Edited.')]
        await agent.prompt('Rename the second line', ...replies)
        await agent.waitForDialog()
        await recorder.settled()
        await agent.approve()
        await over()
      },
    },
  ]
}

function pairs(): Scenario[] {
  const asked = (...answers: ('approve' | 'deny')[]) => {
    return async ({ agent, recorder, over }: Stage) => {
      await agent.prompt('Make both files', PAIR, say('Both finished.'))
      for (const [index, answer] of answers.entries()) {
        await agent.waitToSee(new RegExp(`^ touch b${index + 1}`, 'm'))
        await recorder.settled()
        await agent[answer]()
      }
      await over()
    }
  }
  return [
    { name: 'two-approved', play: asked('approve', 'approve') },
    { name: 'two-denied-at-first', play: asked('deny') },
    { name: 'two-denied-at-second', play: asked('approve', 'deny') },
  ]
}

function questions(): Scenario[] {
  const asked = (answer: (stage: Stage) => Promise<void>) => async (stage: Stage) => {
    await stage.agent.prompt('Ask me for the colour', COLOUR, say('Thanks.'))
    await stage.agent.waitForDialog()
    await stage.recorder.settled()
    await answer(stage)
    await stage.over()
  }
  return [
    { name: 'question-answered', play: asked(({ agent }) => agent.choose(/^Red/)) },
    { name: 'question-declined', play: asked(({ agent }) => agent.escape()) },
    {
      name: 'killed-at-question',
      play: asked(async ({ agent, startAgain }) => {
        await agent.kill('SIGKILL')
        const again = await startAgain({ args: ['--resume', agent.session] })
        await again.prompt('Say hello', say('Hello, done.'))
        await again.waitForStatus('idle')
        await again.exit()
      }),
    },
    {
      name: 'plan-approved',
      options: { permissionMode: 'plan' },
      play: async ({ agent, recorder, over }) => {
        const plan = writePlan('# Plan\n1. do it')
        await agent.prompt('Plan the work', plan, exitPlanMode(), say('Plan finished.'))
        await agent.waitForDialog()
        await recorder.settled()
        await agent.choose(/manually approve/)
        await over()
      },
    },
    {
      name: 'elicitation',
      options: { mcp: true },
      play: async ({ agent, recorder, over }) => {
        await agent.prompt('Call the ranch', mcp('choose'), say('MCP done.'))
        await agent.waitForDialog()
        await recorder.settled()
        await agent.approve()
        await agent.waitToSee(/Which horse/)
        await recorder.settled()
        await agent.escape()
        await over()
      },
    },
  ]
}

function interrupts(): Scenario[] {
  return [
    {
      name: 'interrupted-in-tool',
      play: async ({ agent, recorder, over }) => {
        await agent.prompt('Follow the log', bash('touch log && tail -f /dev/null'))
        await agent.waitForDialog()
        await recorder.settled()
        await agent.approve()
        await agent.waitForStatus('busy')
        await recorder.settled()
        await agent.escape()
        await over()
      },
    },
    {
      name: 'interrupted-mid-stream',
      play: async ({ agent, recorder, over }) => {
        const tale = say('Once upon a time.\n\nThere was a trail.', { midway: createGate() })
        await agent.prompt('Tell me a tale', tale)
        await agent.waitToSee(/Once upon a time/)
        await recorder.settled()
        await agent.escape()
        await over()
      },
    },
    {
      name: 'interrupted-before-token',
      play: async ({ agent, recorder, over }) => {
        await agent.prompt('Think about it', say('Too late.', { before: createGate() }))
        await agent.waitForStatus('busy')
        await recorder.settled()
        await agent.escape()
        await over()
      },
    },
    {
      name: 'api-error',
      play: async ({ agent, over }) => {
        await agent.prompt('Do the impossible', apiError(400, { message: 'bad thing' }))
        await over()
      },
    },
    {
      name: 'api-error-retried',
      play: async ({ agent, over }) => {
        await agent.prompt('Try until it works', apiError(500, { times: 3 }), say('At last.'))
        await agent.waitForStatus('busy')
        await over()
      },
    },
  ]
}

function commands(): Scenario[] {
  return [
    {
      name: 'queued-prompt',
      play: async ({ agent, model, recorder, over }) => {
        const build = bash('touch q1; sleep 4', { description: 'Slow' })
        await agent.prompt('Run the slow build', build)
        model.plan('Say hello', say('Hello, done.'))
        await agent.approve()
        await agent.waitForStatus('busy')
        await recorder.settled()
        await agent.submit('Say hello')
        await model.waitForRequest('Say hello')
        await over()
      },
    },
    {
      name: 'queued-turn',
      play: async ({ agent, model, over }) => {
        const gate = createGate()
        await agent.prompt('Count to one', say('One.', { before: gate }))
        model.plan('Count to two', say('Two.'))
        await agent.submit('Count to two')
        await agent.waitToSee(/Press up to edit|queued|Count to two/)
        gate.open()
        await model.waitForRequest('Count to two')
        await over()
      },
    },
    {
      name: 'slash-command',
      files: { home: { '.claude/commands/greet.md': 'Say hello\n' } },
      play: async ({ agent, model, over }) => {
        model.plan('Say hello', say('Hello, done.'))
        await agent.submit('/greet')
        await model.waitForRequest('Say hello')
        await over()
      },
    },
    {
      name: 'shell-command',
      play: async ({ agent, model, over }) => {
        model.plan('<bash-stdout>', say('Heard.'))
        await agent.press('!')
        await agent.waitToSee(/^!/m)
        await agent.submit('echo hi there')
        await model.waitForRequest('<bash-stdout>')
        await over()
      },
    },
    {
      name: 'stop-refused',
      files: { home: { '.claude/settings.json': refuseFirstStop() } },
      play: async ({ agent, model, over }) => {
        model.plan('Run the tests first', say('Hello, done.'))
        await agent.prompt('Say hello', say('Hello, done.'))
        await model.waitForRequest('Run the tests first')
        await over()
      },
    },
    {
      name: 'cleared',
      play: async ({ agent, recorder, heard, over }) => {
        await agent.prompt('Begin', say('Begun.'))
        await over()
        recorder.begin()
        await agent.submit('/clear')
        await heard('SessionStart')
        await agent.waitForComposer()
        await agent.prompt('Say hello', say('Hello, done.'))
        await over()
      },
    },
    {
      name: 'compacted',
      play: async ({ agent, recorder, heard, over }) => {
        await agent.prompt('Begin', say('Begun.'))
        await over()
        recorder.begin()
        await agent.submit('/compact')
        await heard('PostCompact')
        await over()
      },
    },
  ]
}

function background(): Scenario[] {
  // Which comes first is a race of the model's answers: once so, once so.
  const sent = (asks: 'before' | 'after', answer: 'approve' | 'deny') => {
    return async ({ agent, model, recorder, heard, over }: Stage) => {
      const [asked, launched] = [createGate(), createGate()]
      model.plan('Make the inner marker', after(asked, MARKER), say('Bash finished.'))
      model.plan('<task-notification>', say('Noted the notification.'))
      const send = startSubagent('Make the inner marker')
      await agent.prompt('Send an agent', send, say('Agent launched.', { before: launched }))
      ;(asks === 'before' ? asked : launched).open()
      await heard(asks === 'before' ? 'PermissionRequest' : 'Stop')
      ;(asks === 'before' ? launched : asked).open()
      await heard(asks === 'before' ? 'Stop' : 'PermissionRequest')
      await agent.waitForDialog()
      await recorder.settled()
      await agent[answer]()
      await model.waitForRequest('<task-notification>')
      await over()
    }
  }
  return [
    { name: 'subagent-approved', play: sent('before', 'approve') },
    { name: 'subagent-denied', play: sent('after', 'deny') },
    {
      name: 'background-shell',
      play: async ({ agent, model, over }) => {
        model.plan('<task-notification>', say('Noted the notification.'))
        const sleeper = bash('sleep 4 && echo bgdone', { run_in_background: true })
        await agent.prompt('Start the sleeper', sleeper, say('Started in background.'))
        await model.waitForRequest('<task-notification>')
        await over()
      },
    },
  ]
}

function refuseFirstStop(): string {
  const refusal = '{"decision":"block","reason":"Run the tests first."}'
  const command = `grep -q '"stop_hook_active":true' || echo '${refusal}'`
  return JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } })
}
