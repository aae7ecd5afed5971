import { basename } from 'node:path'
import {
  BRIDGE,
  type BridgeMount,
  type ManagedHarness,
  requireSession,
} from '../adapter/managed.ts'
import { composer } from './composer.ts'
import { promptQueue } from './prompt-queue.ts'

/** Codex (0.166.0) in a pane of ours, without the shared daemon, which would give its hooks another pane. */
export const managed: ManagedHarness = {
  launch({ binary = 'codex', args, prompt, resume, bridge }) {
    const argv = [binary, ...(resume === undefined ? [] : ['resume']), ...args, '--no-daemon']
    // Without a spinner in the title, an answer that is coming in looks like an idle composer.
    argv.push('-c', 'tui.animations=true')
    if (bridge) argv.push(...mount(bridge))
    // A thread that was once resumed without a terminal would otherwise never ask again.
    if (resume !== undefined && !args.some(isApproval)) argv.push('-a', 'on-request')
    const given = resume === undefined ? [] : [requireSession('Codex', resume)]
    if (prompt !== undefined) given.push(prompt)
    if (given.length > 0) argv.push('--', ...given)
    return { argv, env: { ...bridge?.env }, isPrompted: true }
  },
  mountsBridge: true,
  // Codex checks for queued prompts every 8 s, and after an interruption not at all until somebody types.
  channel({ binary, session, text }) {
    if (!/^codex\b/.test(basename(binary))) return undefined
    const thread = requireSession('Codex', session)
    return [
      ...[binary, 'queue', '--disable', 'daemon_auto_start'],
      ...[`--thread=${thread}`, `--message=${text}`],
    ]
  },
  channelQueue: promptQueue,
  composer,
  oneTimeAnswers: ['Yes, proceed (y)'],
  exitKeys: ['C-c'],
}

function isApproval(word: string): boolean {
  return /^(?:-a|--ask-for-approval|--approve-for-me|--dangerously-bypass-approvals-and-sandbox|--yolo)(?:$|=)/.test(
    word,
  )
}

/** Values are TOML, which includes JSON's strings and lists. Only named variables are passed on. */
function mount({ command, args, env }: BridgeMount): string[] {
  const server = `mcp_servers.${BRIDGE}`
  return [
    `${server}.command=${JSON.stringify(command)}`,
    `${server}.args=${JSON.stringify(args)}`,
    `${server}.env_vars=${JSON.stringify(Object.keys(env))}`,
    `${server}.default_tools_approval_mode="approve"`,
  ].flatMap((setting) => ['-c', setting])
}
