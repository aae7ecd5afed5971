import { TrailBossError } from '../../core/errors.ts'
import { PLAIN_PATH } from '../../core/text.ts'
import type { Emitter } from '../hook-install/emitter-command.ts'

/**
 * The plugin that opencode loads, one file without dependencies. It extends the terminal interface, not the
 * server: opencode fetches packages before it loads any server plugin, which delays its start by more than a
 * minute without network (1.18.33). It reports only what is on the screen, because that is the session that the
 * pane shows.
 */
export function pluginText({ program, home }: Emitter): string {
  for (const path of [program, home ?? '/']) requirePlain(path)
  return SOURCE.replace("'<program>'", () => JSON.stringify(program)).replace("'<home>'", () =>
    JSON.stringify(home ?? ''),
  )
}

/** Whether the text is a plugin that we wrote, in any version. */
export function isOurPlugin(text: string): boolean {
  return text.startsWith(FIRST_LINE)
}

/** Undefined if it cannot be parsed. */
export function emitterOfPlugin(text: string): string | undefined {
  const [, quoted] = /^const PROGRAM = (".*")$/m.exec(text) ?? []
  try {
    return quoted === undefined ? undefined : String(JSON.parse(quoted))
  } catch {
    return undefined
  }
}

const FIRST_LINE = '// Trail Boss: written by "trailboss install opencode"'

const SOURCE = `${FIRST_LINE}, removed by "trailboss uninstall opencode".
// Tells when the session on this screen waits for you. It changes nothing in opencode.
import { spawn } from 'node:child_process'

const PROGRAM = '<program>'
const HOME = '<home>'
const MOST_CHARS = 16000
const LOOK_MS = 500
const RECENT_MS = 10000
const TEXT_MS = 300
const TEXT_LOOKS = 10
const MARK = /\\[tb:[a-z0-9]{10}\\]/g

const tui = async (api) => {
  const parents = new Map()
  const prompts = new Set()
  const fresh = new Set()
  const awaited = new Map()
  const marked = new Set()
  const since = Date.now() - RECENT_MS
  let shown
  let status = 'idle'
  let failure
  let at = 0

  const stamp = () => {
    const now = Date.now()
    at = now <= at && at - now < 1000 ? at + 1 : now
    return at
  }

  const told = (name, id, { at = stamp(), ...fields }) => {
    const root = rootOf(id)
    const cwd = api.state.session.get(root)?.directory ?? api.state.path.directory
    const subagent = id === root ? {} : { agent_id: id }
    emit({ hook_event_name: name, session_id: root, ...subagent, at, cwd, ...fields })
  }

  const rootOf = (id) => {
    let root = id
    for (let depth = 0; depth < 20; depth++) {
      const parent = parents.get(root) ?? api.state.session.get(root)?.parentID
      if (!parent) return root
      parents.set(root, parent)
      root = parent
    }
    return root
  }

  // A session from before may wait for something that no event has reported.
  const look = () => {
    const { name, params } = api.route.current
    const id = name === 'session' && params?.sessionID ? rootOf(params.sessionID) : undefined
    if (id === shown) return
    if (shown !== undefined) told('session.left', shown, {})
    shown = id
    status = 'idle'
    failure = undefined
    if (id === undefined) return
    told('session.shown', id, {})
    if (api.state.session.status(id)?.type === 'busy') ran(id, { type: 'busy' })
    for (const asked of api.state.session.permission(id)) told('permission.asked', id, asked)
    for (const asked of api.state.session.question(id)) told('question.asked', id, asked)
    // The prompt that opencode was started with may have come before its session was on the screen.
    for (const { id: message, role, time } of api.state.session.messages(id)) {
      if (role === 'user' && time.created >= since) api.state.part(message).forEach(tellMarks)
    }
  }

  // Reports only the marks in a prompt, and only once.
  const tellMarks = (part) => {
    if (part.type !== 'text' || part.synthetic || marked.has(part.messageID)) return
    const marks = part.text.match(MARK)
    if (!marks) return
    marked.add(part.messageID)
    if (awaited.has(part.messageID)) tellPrompt(part.messageID, { marks: marks.join(' ') })
    else told('prompt.marked', part.sessionID, { marks: marks.join(' ') })
  }

  // The texts of a prompt come after it, on a busy machine even after its turn has begun. Without them nobody
  // can know whose prompt it is. One that opencode gives itself has only synthetic ones.
  const awaitTexts = ({ id, sessionID }) => {
    awaited.set(id, { sessionID, at: stamp(), texts: [] })
    lookForTexts(id, TEXT_LOOKS)
  }

  const lookForTexts = (id, looks) => {
    const look = () => {
      if (looks <= 1 || textsOf(id).length > 0) tellPrompt(id)
      else lookForTexts(id, looks - 1)
    }
    const timer = setTimeout(() => attempt(look), TEXT_MS)
    timer.unref?.()
  }

  const textsOf = (message) => {
    const texts = awaited.get(message)?.texts ?? []
    return texts.length > 0 ? texts : api.state.part(message).filter(({ type }) => type === 'text')
  }

  const hearText = (part) => {
    if (part.type === 'text') awaited.get(part.messageID)?.texts.push(part)
    tellMarks(part)
  }

  const tellPrompt = (message, fields = {}) => {
    const prompt = awaited.get(message)
    if (!prompt) return
    const texts = textsOf(message)
    awaited.delete(message)
    const { sessionID, at } = prompt
    const synthetic = texts.length > 0 && texts.every((text) => text.synthetic)
    const own = texts.filter((text) => !text.synthetic).map(({ text }) => text).join(' ')
    const marks = own.match(MARK)?.join(' ')
    if (marks) marked.add(message)
    told('chat.message', sessionID, { at, ...(synthetic && { synthetic }), ...(marks && { marks }), ...fields })
  }

  const ran = (id, { type, attempt, message }) => {
    const key = type === 'retry' ? type + attempt : type
    if (key === status) return
    status = key
    if (type === 'idle') {
      told('session.idle', id, { message: lastWords(id), error: failure })
      failure = undefined
    } else told('session.status', id, { status: type, attempt, message })
  }

  const lastWords = (id) => {
    const answer = api.state.session.messages(id).findLast((one) => one.role === 'assistant')
    if (!answer) return undefined
    return api.state.part(answer.id).findLast((part) => part.type === 'text' && part.text)?.text
  }

  const listeners = {
    'session.created': ({ info }) => {
      if (info.parentID) parents.set(info.id, info.parentID)
    },
    'message.updated': ({ info }) => {
      if (info.role !== 'user' || prompts.has(info.id)) return
      prompts.add(info.id)
      if (rootOf(info.sessionID) !== info.sessionID || Date.now() - info.time.created > RECENT_MS) return
      fresh.add(info.id)
      awaitTexts(info)
    },
    'message.part.updated': ({ part }) => fresh.has(part.messageID) && hearText(part),
    'session.status': ({ sessionID, status: its }) => {
      for (const [id, prompt] of awaited) {
        if (prompt.sessionID === sessionID && textsOf(id).length > 0) tellPrompt(id)
      }
      if (sessionID === shown) ran(sessionID, its)
      else if (its.type === 'idle') told('session.idle', sessionID, {})
    },
    'session.error': ({ sessionID, error }) => {
      if (sessionID !== shown) return
      failure = { name: error?.name, message: error?.data?.message }
      told('session.error', sessionID, { error: failure })
    },
    'permission.asked': (asked) => told('permission.asked', asked.sessionID, asked),
    'permission.replied': (reply) => told('permission.replied', reply.sessionID, reply),
    'question.asked': (asked) => told('question.asked', asked.sessionID, asked),
    'question.replied': (reply) => told('question.replied', reply.sessionID, reply),
    'question.rejected': (reply) => told('question.rejected', reply.sessionID, reply),
  }
  for (const [type, listener] of Object.entries(listeners)) {
    api.event.on(type, ({ properties }) => {
      attempt(() => {
        look()
        const { sessionID, info, part } = properties
        const id = sessionID ?? info?.sessionID ?? part?.sessionID ?? info?.id
        if (type === 'session.created' || (id && rootOf(id) === shown)) listener(properties)
      })
    })
  }
  const timer = setInterval(() => attempt(look), LOOK_MS)
  timer.unref?.()
  api.lifecycle?.onDispose?.(() => clearInterval(timer))
}

// Whatever happens here, opencode goes on.
const attempt = (act) => {
  try {
    act()
  } catch {}
}

const emit = (payload) => {
  // Those of another agent that has started this one would be taken for ours.
  const { CLAUDE_PID, CLAUDE_CODE_ENTRYPOINT, ...env } = process.env
  if (HOME && !env.TRAILBOSS_HOME) env.TRAILBOSS_HOME = HOME
  const stdio = ['pipe', 'ignore', 'ignore']
  const child = spawn(PROGRAM, ['opencode'], { cwd: '/', detached: true, env, stdio })
  child.on('error', () => {})
  child.stdin.on('error', () => {})
  child.stdin.end(JSON.stringify(payload, shortened))
  child.unref()
}

const shortened = (_key, value) =>
  typeof value === 'string' && value.length > MOST_CHARS ? value.slice(0, MOST_CHARS) + '…' : value

export default { id: 'trailboss', tui: async (api) => attempt(() => void tui(api).catch(() => {})) }
`

function requirePlain(path: string): void {
  if (PLAIN_PATH.test(path)) return
  throw new TrailBossError('BAD_USAGE', `${JSON.stringify(path)} has a control character in it.`, {
    hint: 'A plugin cannot be told such a path: move it to another directory.',
  })
}
