const RULE = '─'.repeat(60)

/** What the pane shows: the markers by which a Claude Code 2.1 screen is recognised. */
export function drawScreen({ name, title, session, said, activity, composer }) {
  const lines = [
    `✻ scripted agent ${name} · session ${session}`,
    '',
    ...said.slice(-8).map((text) => `● ${printable(text)}`),
    '',
    ...footer(activity, composer),
  ]
  process.stdout.write(`\u001b]2;✳ ${title}\u0007\u001b[2J\u001b[H${lines.join('\r\n')}`)
}

function footer(activity, composer) {
  switch (activity.state) {
    case 'asking':
      return [
        RULE,
        ` ${activity.tool} command${activity.subagent ? ' (subagent)' : ''}`,
        '',
        `   ${printable(activity.command)}`,
        '',
        ' Do you want to proceed?',
        ' ❯ 1. Yes',
        '   2. Yes, and always allow this',
        '   3. No',
        '',
        ' Esc to cancel · Tab to amend',
      ]
    case 'working':
    case 'running':
      return [
        activity.state === 'running' ? '  ⎿  Running…' : '✶ Working…',
        RULE,
        `❯ ${printable(composer)}`,
        RULE,
        '  esc to interrupt',
      ]
    default:
      return [RULE, `❯ ${printable(composer)}`, RULE, '  ? for shortcuts']
  }
}

/** Claude Code does not let a model's escape sequences through either. */
function printable(text) {
  return text.replace(/\p{Cc}|\p{Cf}/gu, ' ').slice(0, 140)
}
