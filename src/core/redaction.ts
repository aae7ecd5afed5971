import { withoutPrivateKeys } from './key-blocks.ts'
import { SECRET_SHAPES } from './secret-shapes.ts'

const MARK = '[redacted]'

/**
 * The text without the secrets in it, for what is kept of a pane. It knows secrets by their shape (keys of
 * the usual providers, private keys), by their place (a password in a URL, a header) and by their name
 * (`password=…`). One that looks like any other word and has no such name stays.
 */
export function redacted(text: string): string {
  return PASSES.reduce((clean, pass) => pass(clean), text)
}

const PASSES: readonly ((text: string) => string)[] = [
  (text) => withoutPrivateKeys(text, MARK),
  (text) => text.replace(SECRET_SHAPES, marked),
  withoutUrlSecrets,
  withoutHeaders,
  withoutNamedSecrets,
]

function marked(secret: string): string {
  const [first = '', ...more] = secret.split('\n')
  const wrapped = more.map((line) => line.replace(/[\w+/=-]{12,}/, MARK))
  return [first.replace(/^[^\s│┃║|]+/, MARK), ...wrapped].join('\n')
}

const URL_PASSWORD = /([a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'<>]{0,128}:)([^\s/"'<>]{1,256})(?=@)/gi
const URL_TOKEN = /(:\/\/)(?=[\w-]{0,80}\d)([\w-]{20,256})(?=@)/g
const URL_QUERY =
  /([?&][\w.-]{0,40}(?:token|key|secret|signature|sig|password|passwd|pwd|credential|auth)=)([^&\s"'`#<>)\]]{8,2000})/gi

function withoutUrlSecrets(text: string): string {
  return text
    .replace(URL_PASSWORD, (all, before, value) => (isPlaceholder(value) ? all : before + MARK))
    .replace(URL_TOKEN, `$1${MARK}`)
    .replace(URL_QUERY, (all, before, value) =>
      isPlaceholder(value) || !/\d/.test(value) ? all : before + MARK,
    )
}

const BEARER =
  /(\bbearer[ \t]{1,4}|\bauthorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?[a-z]{3,12}[ \t]{1,4})([\w.~+/-]{8,4000}={0,2})/gi
const COOKIE =
  /(\b(?:set-)?cookie["']?:[ \t]{0,4}["']?)([\w.-]{1,128}=(?=[^\s;"']{0,200}\d)[^\s;"']{8,}[^"'\n]*)/gi

function withoutHeaders(text: string): string {
  return text
    .replace(BEARER, (all, before, value) =>
      /\d/.test(value) || value.length >= 24 ? before + MARK : all,
    )
    .replace(COOKIE, `$1${MARK}`)
}

/** What is a password whatever it looks like, and what is a secret only if it looks like one. */
const PASSWORD_NAME = /pass[_-]?word|passwd|passphrase|(?<=_)pass|(?<=[_-]|; ?)pwd/
const SECRET_NAME =
  /secret|token|(?:api|access|auth|account|private|secret|signing|encryption|master|shared|service)[_-]?key|secret_key_base|authorization|credentials?/
const SIGN = /["'`]?\]?[ \t]{0,8}(?::=|=>|(?<![=!<>])=(?![=>~])|:(?![:/=]))[ \t]{0,8}| /
const VALUE =
  /(?<quote>["'`])(?<quoted>[^"'`\n]{1,2000})\k<quote>|(?<plain>[^\s"'`,;)&\]}]{1,2000})/
const NAMED = new RegExp(
  `(?<name>(?<password>${PASSWORD_NAME.source})|${SECRET_NAME.source})(?<sign>${SIGN.source})(?:${VALUE.source})`,
  'gi',
)

function withoutNamedSecrets(text: string): string {
  return text.replace(NAMED, (all: string, ...rest: unknown[]) => {
    const found = rest.at(-1) as Record<string, string | undefined>
    const at = rest.at(-3) as number
    const { name = '', sign = '', quote = '', quoted } = found
    const value = quoted ?? found['plain'] ?? ''
    const isFlag = sign === ' '
    if (isFlag && !/(?:^|\s)--?[\w-]*$/.test(text.slice(Math.max(0, at - 40), at))) return all
    const named: Named = {
      value,
      isPassword: found['password'] !== undefined,
      isQuoted: quoted !== undefined,
      isTight: sign === '=',
      isFlag,
      isShouted: name === name.toUpperCase(),
      next: text[at + all.length] ?? '',
    }
    return isSecret(named) ? `${name}${sign}${quote}${MARK}${quote}` : all
  })
}

type Named = {
  value: string
  isPassword: boolean
  isQuoted: boolean
  /** `NAME=value`, with nothing around the sign. */
  isTight: boolean
  /** `--name value` */
  isFlag: boolean
  /** `NAME`, as in an environment. */
  isShouted: boolean
  next: string
}

function isSecret(told: Named): boolean {
  const { value, isPassword, isQuoted, isTight, isFlag, isShouted } = told
  if (isPlaceholder(value)) return false
  if (isQuoted) return isPassword ? isLiteralPassword(value) : looksRandom(value)
  if (isCode(told)) return false
  if (isTight && isShouted) return value.length >= 3
  if (!isPassword) return looksRandom(value)
  if (isTight) return value.length >= 3
  // Spaced out, only what no identifier is: `password: hunter2`, and not `password: userPassword`.
  return value.length >= 3 && (isFlag ? /[\d\W]/ : /\d|[^\w.,?!]/).test(value)
}

/** A label has spaces, the key of a label has dots. */
function isLiteralPassword(value: string): boolean {
  return value.length >= 3 && !/\s/.test(value) && !/^[A-Za-z_]+(?:\.[A-Za-z_]+)+$/.test(value)
}

/** No word, no path, no number: letters and digits mixed. */
function looksRandom(value: string): boolean {
  return (
    value.length >= 8 &&
    /\d/.test(value) &&
    /[A-Za-z]/.test(value) &&
    !/^[./~]|\s|:\/\//.test(value)
  )
}

/** An expression that gives the secret, or its type, and not the secret. */
function isCode({ value, isTight, isShouted, next }: Named): boolean {
  const isClosed = (isTight ? /[,)]/ : /[,);]/).test(next)
  if (/^[A-Za-z_$&*][\w$.:>?-]*[([<{]|^[([{&/:]/.test(value)) return true
  if (/^(?:0x[\da-f]+|\d+(?:<<\d+)?)$/i.test(value)) return isClosed
  // An environment has values only.
  if (isTight && isShouted) return false
  if (/^[A-Za-z_$][\w$]*$/.test(value)) return isClosed || (!isTight && !/\d/.test(value))
  const isPath = /^[A-Za-z_$][\w$]*(?:(?:\.|\?\.|::|->)[A-Za-z_$#][\w$]*)+[?!;]?$/.test(value)
  return isPath && (isClosed || !/\d/.test(value))
}

function isPlaceholder(value: string): boolean {
  return (
    value.includes(MARK) ||
    value === MARK.slice(0, -1) ||
    /^(?:\$(?:[{(]|\w+$)|\{\{|\{\w*\}|<[^>]*>?$|%[({\w]|#\{|\*{2,}|•|\.{3}|…|[xX]{3,}$)/.test(
      value,
    ) ||
    PLACEHOLDERS.test(value)
  )
}

const PLACEHOLDERS =
  /^(?:true|false|null|nil|none|undefined|string|str|number|boolean|bool|any|unknown|bytes|text|required|optional|hidden|process\.env.*|os\.environ.*|import\.meta.*)[,;.?|]*$/i
