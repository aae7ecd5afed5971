/** As much of a request to the model as the script looks at. */
export type RequestBody = {
  messages: { role: string; content: string | ContentBlock[] }[]
  tools?: unknown[]
}

type ContentBlock = { type: string; text?: string; content?: unknown }

/**
 * The prompt that a request answers: the last one in the conversation that the script has a plan
 * for, but nothing from before a prompt that it has none for. With it, the results of the tools
 * that the client ran last.
 */
export function promptOf(
  { messages }: RequestBody,
  isPlanned: (text: string) => boolean,
): { prompt: string; results: string[] } {
  const said = userBlocks(messages)
  const results = (said.at(-1) ?? [])
    .filter(({ type }) => type === 'tool_result')
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
  for (const blocks of said.toReversed()) {
    const texts = blocks.flatMap(({ type, text }) => (type === 'text' && text ? [text] : []))
    const planned = texts.findLast(isPlanned)
    if (planned) return { prompt: planned, results }
    // Text beside a tool's result is what the operator said with the approval.
    const isAnswer = blocks.some(({ type }) => type === 'tool_result')
    const unplanned = texts.findLast((text) => !isBookkeeping(text))
    if (unplanned && !isAnswer) return { prompt: unplanned, results }
  }
  return { prompt: '', results }
}

/** Every text of the user's messages, what the client adds among them. */
export function saidIn({ messages }: RequestBody): string[] {
  return userBlocks(messages).flatMap((blocks) =>
    blocks.flatMap(({ type, text }) => (type === 'text' && text ? [text] : [])),
  )
}

/** Where the client wants a plan to be written, as it told the model; only known in plan mode. */
export function planFileIn(body: RequestBody): string | undefined {
  return /[^\s"`\\]+\/\.claude\/plans\/[\w-]+\.md/.exec(JSON.stringify(body.messages))?.[0]
}

function userBlocks(messages: RequestBody['messages']): ContentBlock[][] {
  return messages.filter(({ role }) => role === 'user').map(({ content }) => blocksOf(content))
}

function blocksOf(content: string | ContentBlock[]): ContentBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

/** What Claude Code itself puts beside the prompts. */
function isBookkeeping(text: string): boolean {
  return /^\s*(<system-reminder>|\[Request interrupted by user)/.test(text)
}
