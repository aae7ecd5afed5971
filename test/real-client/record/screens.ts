import type { RealAgent, RealAgentOptions } from '../support/agents/claude-agent.ts'
import type { Greetings } from '../support/agents/claude-home.ts'
import {
  apiError,
  askUser,
  bash,
  createGate,
  edit,
  exitPlanMode,
  mcp,
  type Reply,
  read,
  say,
  startSubagent,
  write,
  writePlan,
} from '../support/model/reply.ts'

/** A screen that the rules are tried on. */
export type ScreenScenario = {
  /** Its file name. */
  name: string
  /** What is on the screen when it is there. */
  shows: RegExp
  greetings?: Greetings
  settings?: Record<string, unknown>
  options?: RealAgentOptions
  /** The prompt's replies; none for a dialog at the start. */
  replies?: Reply[]
  /** The replies to the prompt "Investigate". */
  subagent?: Reply[]
  /** What is done after the prompt. */
  afterwards?(agent: RealAgent): Promise<unknown>
  files?: Record<string, string>
}

const PLAN = '# Plan\n\n1. Saddle up\n2. Ride\n'
const atStart: RealAgentOptions = { waitsForComposer: false }
const unknownHook = { hooks: { NoSuchEvent: [{ hooks: [{ type: 'command', command: 'true' }] }] } }
const impatient: RealAgentOptions = { env: { CLAUDE_CODE_MAX_RETRIES: '1' } }

export const SCREENS: ScreenScenario[] = [
  {
    name: 'startup-onboarding',
    shows: /Dark mode/,
    greetings: { onboarded: false },
    options: atStart,
  },
  {
    name: 'startup-trust',
    shows: /Accessing workspace/,
    greetings: { trusted: false },
    options: atStart,
  },
  {
    name: 'startup-api-key',
    shows: /Detected a custom API key/,
    greetings: { keyApproved: false },
    options: atStart,
  },
  {
    name: 'startup-settings-warning',
    shows: /Settings Warning/,
    settings: unknownHook,
    options: atStart,
  },
  { name: 'startup-done', shows: /manual mode on/ },
  { name: 'permission-bash', shows: /Do you want to proceed/, replies: [bash('touch q')] },
  {
    name: 'permission-write',
    shows: /Do you want to create/,
    replies: [write('w.txt', 'one\ntwo\n')],
  },
  {
    name: 'permission-edit',
    shows: /Do you want to make this edit/,
    files: { 'w.txt': 'one\ntwo\n' },
    replies: [read('w.txt'), edit('w.txt', 'one', 'three')],
  },
  {
    name: 'permission-mcp',
    shows: /Do you want to proceed/,
    options: { mcp: true },
    replies: [mcp('note', { text: 'hi' })],
  },
  {
    name: 'elicitation',
    shows: /Which horse/,
    options: { mcp: true },
    replies: [mcp('choose')],
    afterwards: (agent) => agent.approve(),
  },
  { name: 'question', shows: /Which way/, replies: [askUser('Which way?', ['North', 'South'])] },
  {
    name: 'plan',
    shows: /Would you like to proceed/,
    options: { permissionMode: 'plan' },
    replies: [writePlan(PLAN), exitPlanMode()],
  },
  {
    name: 'plan-short',
    shows: /Exit plan mode/,
    options: { permissionMode: 'plan' },
    replies: [exitPlanMode()],
  },
  {
    name: 'model-dialog',
    shows: /Select model/,
    replies: [say('Done.')],
    afterwards: (agent) => agent.submit('/model'),
  },
  {
    name: 'background-shell',
    shows: /1 shell/,
    replies: [bash('sleep 30', { run_in_background: true }), say('Started in background.')],
    afterwards: (agent) => agent.waitForStatus('shell'),
  },
  {
    name: 'subagent-running-after-stop',
    shows: /Waiting for 1 background agent/,
    replies: [startSubagent('Investigate'), say('Agent launched.')],
    subagent: [say('Inner result.', { before: createGate() })],
  },
  {
    name: 'subagent-permission',
    shows: /from the general-purpose agent/,
    replies: [startSubagent('Investigate'), say('Agent launched.')],
    subagent: [bash('touch beta')],
  },
  ...[400, 401, 529].map((status) => ({
    name: `api-error-${status}`,
    shows: /done \d+:\d\d/,
    options: impatient,
    replies: [apiError(status)],
    afterwards: (agent: RealAgent) => agent.waitForStatus('idle'),
  })),
  { name: 'retrying-500', shows: /Retrying in/, replies: [apiError(500)] },
  {
    name: 'working',
    shows: /esc to interrupt/,
    replies: [say('Too late.', { before: createGate() })],
  },
]
