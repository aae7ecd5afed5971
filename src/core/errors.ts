/**
 * Every error an operator or a script can meet, by code. `docs/errors.md` lists the same table.
 * `status` is the HTTP status when it crosses the wire, `exit` the exit code of the CLI.
 */
export const catalogue = {
  BAD_USAGE: { status: 400, exit: 2 },
  BAD_REQUEST: { status: 400, exit: 2 },
  BAD_EVENT: { status: 400, exit: 2 },
  BAD_CONFIG: { status: 400, exit: 2 },
  UNAUTHORIZED: { status: 401, exit: 5 },
  FORBIDDEN_ORIGIN: { status: 403, exit: 5 },
  FORBIDDEN_DIRECTORY: { status: 403, exit: 5 },
  NOT_FOUND: { status: 404, exit: 4 },
  /** Several have that name. */
  AMBIGUOUS: { status: 409, exit: 4 },
  /** The daemon knows of no workspace. */
  NOT_SUPERVISED: { status: 404, exit: 4 },
  TOO_LARGE: { status: 413, exit: 2 },
  UNSUPPORTED_TYPE: { status: 415, exit: 2 },
  MISDIRECTED: { status: 421, exit: 5 },
  INTERNAL: { status: 500, exit: 1 },
  NOT_STORED: { status: 503, exit: 1 },
  DAEMON_DOWN: { status: 503, exit: 3 },
  DAEMON_HUNG: { status: 503, exit: 3 },
  DAEMON_RUNNING: { status: 409, exit: 1 },
  DAEMON_FAILED: { status: 500, exit: 1 },
  UNSAFE_HOME: { status: 500, exit: 1 },
  HOME_PATH_TOO_LONG: { status: 500, exit: 1 },
  TMUX_MISSING: { status: 500, exit: 6 },
  TMUX_TOO_OLD: { status: 500, exit: 6 },
  TMUX_UNREACHABLE: { status: 503, exit: 6 },
  NO_CLIENT: { status: 409, exit: 6 },
  PANE_GONE: { status: 410, exit: 4 },
  KEY_CONFLICT: { status: 409, exit: 1 },
  NOT_WRITABLE: { status: 500, exit: 1 },
  /** A prompt can only be delivered to managed runtimes; for any other, the operator has to go there. */
  FALLBACK_REQUIRED: { status: 409, exit: 1 },
  HARNESS_MISSING: { status: 409, exit: 6 },
  ALREADY_THERE: { status: 409, exit: 1 },
  /** What waits for an answer is not dismissed by accident. */
  STILL_BLOCKED: { status: 409, exit: 1 },
  TOO_LATE: { status: 409, exit: 1 },
  THREAD_BLOCKED: { status: 409, exit: 1 },
  THREAD_CLOSED: { status: 409, exit: 1 },
  /** Nobody answered a decision in time. */
  NO_ANSWER: { status: 408, exit: 7 },
  /** An asker has more open decisions than one may have. */
  TOO_MANY: { status: 429, exit: 1 },
  CANCELLED: { status: 409, exit: 1 },
  /** The operator has not turned replies on. */
  REPLY_OFF: { status: 403, exit: 5 },
  /** Nothing was typed. */
  REPLY_REFUSED: { status: 409, exit: 1 },
  /** It was typed, or may have been, and nothing proves that it arrived. */
  REPLY_UNPROVED: { status: 504, exit: 8 },
} as const satisfies Record<string, { status: number; exit: number }>

export type ErrorCode = keyof typeof catalogue

/** `message` says what happened, `hint` what to do about it. */
export class TrailBossError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'TrailBossError'
    this.code = code
    this.hint = options.hint
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
