import { withoutCommandSecrets } from './command-secrets.ts'
import { withoutMentionedSecrets } from './named-secrets.ts'
import { withoutPrivateKeys } from './private-keys.ts'
import { SECRET_SHAPES } from './secret-shapes.ts'
import { unwrapped, wrappedAgain } from './wrapped-text.ts'

/** What stands in the place of a secret. */
export const REDACTED = '[redacted]'

/** Takes a secret's place, character for character, until all are found. It is no character of any text. */
const FILL = '\ufffe'
const filled = (secret: string) => FILL.repeat(secret.length)

/**
 * The text without the secrets in it, for what is kept of a session. It knows secrets by their shape (keys
 * of the usual providers, private keys), by their place (a password in a URL, a header, a command) and by
 * their name (`password=…`). One that looks like any other word and has no such name stays.
 */
export function redacted(text: string): string {
  return marked(fillSecrets(withoutKeys(text)))
}

/** The same for what was read from a screen, whose long lines are wrapped. */
export function redactedScreen(text: string): string {
  const lines = unwrapped(withoutKeys(text))
  return marked(wrappedAgain(fillSecrets(lines.text), lines))
}

function withoutKeys(text: string): string {
  return withoutPrivateKeys(text.replaceAll(FILL, ''), REDACTED)
}

function fillSecrets(text: string): string {
  return PASSES.reduce((clean, pass) => pass(clean), text)
}

function marked(text: string): string {
  return text.replace(/\ufffe+/g, REDACTED)
}

const PASSES: readonly ((text: string) => string)[] = [
  (text) => text.replace(SECRET_SHAPES, withoutShape),
  withoutUrlSecrets,
  withoutHeaders,
  withoutNamedSecrets,
  (text) => withoutMentionedSecrets(text, filled),
  (text) => withoutCommandSecrets(text, filled),
]

/** The same for the value of a field, whose name may say that it is a secret. */
export function redactedField(name: string, value: string): string {
  if (!SECRET_FIELD.test(name)) return redacted(value)
  const before = `${name}: `
  const line = redacted(before + value)
  const clean = line.startsWith(before) ? line.slice(before.length) : redacted(value)
  if (clean !== value) return clean
  const isPassword = PASSWORD_FIELD.test(name)
  return isSecret({ ...QUOTED, value, isPassword }) ? REDACTED : value
}

function withoutShape(secret: string): string {
  const [first = '', ...more] = secret.split('\n')
  const wrapped = more.map((line) => line.replace(/[\w+/=-]{12,}/, filled))
  return [first.replace(/^[^\s│┃║|]+/, filled), ...wrapped].join('\n')
}

const URL_PASSWORD = /([a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'<>]{0,128}:)([^\s/"'<>]{1,256})(?=@)/gi
const URL_TOKEN = /(:\/\/)(?=[\w-]{0,80}\d)([\w-]{20,256})(?=@)/g
const URL_QUERY =
  /([?&][\w.-]{0,40}(?:token|key|secret|signature|sig|password|passwd|pwd|credential|auth)=)([^&\s"'`#<>)\]]{8,2000})/gi

function withoutUrlSecrets(text: string): string {
  return text
    .replace(URL_PASSWORD, (all, before, value) =>
      isPlaceholder(value) ? all : before + filled(value),
    )
    .replace(URL_TOKEN, (_, before, value) => before + filled(value))
    .replace(URL_QUERY, (all, before, value) =>
      isPlaceholder(value) || !/\d/.test(value) ? all : before + filled(value),
    )
}

const BEARER =
  /(\bbearer[ \t]{1,4}|\bauthorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?[a-z]{3,12}[ \t]{1,4})([\w.~+/-]{8,4000}={0,2})/gi
const COOKIE =
  /(\b(?:set-)?cookie["']?:[ \t]{0,4}["']?)([\w.-]{1,128}=(?=[^\s;"']{0,200}\d)[^\s;"']{8,}(?:;[ \t]{0,4}[\w.%-]{1,128}=[^\s;"']{0,4000}){0,100})/gi

function withoutHeaders(text: string): string {
  return text
    .replace(BEARER, (all, before, value) =>
      /\d/.test(value) || value.length >= 24 ? before + filled(value) : all,
    )
    .replace(COOKIE, (_, before, value) => before + filled(value))
}

/** What is a password whatever it looks like, and what is a secret only if it looks like one. */
const PASSWORD_NAME =
  /pass[_-]?word|passwd|passphrase|(?<=_)pass|(?<=[_-]|; ?)pwd|passwort|kennwort|contraseña|mot de passe|senha|wachtwoord|hasło|пароль|密码|密碼|パスワード|비밀번호/
const PIN_NAME = /(?<![A-Za-z0-9])pin(?:[_-]?code)?/
const SECRET_NAME =
  /secret|token|(?:api|access|auth|account|private|secret|signing|encryption|master|shared|service)[_-]?key|secret_key_base|authorization|credentials?/
/** In JSON within JSON, quotes have backslashes before them. */
const SIGN =
  /(?:\\{0,8}["'`])?\]?[ \t]{0,8}(?::=|=>|(?<![=!<>])=(?![=>~])|[:：](?![:/=]))[ \t]{0,8}| /
/** `password: string = "…"` */
const TYPED_SIGN = /[?!]?:?[ \t]{0,4}(?:string|str|&(?:'static )?str)[ \t]{0,4}=(?![=>~])[ \t]{0,4}/
const VALUE =
  /(?<quote>["'`])(?<quoted>[^"'`\n]{1,2000})\k<quote>|(?<escape>\\{1,8}["'`])(?<escaped>[^"'`\n\\]{1,2000})\k<escape>|(?<plain>(?:\\(?!\\{0,8}["'`])|[^\s"'`,;)&\]}\\，。；、）]){1,2000})/
const NAMED = new RegExp(
  `(?<name>(?<password>${PASSWORD_NAME.source})|(?<pin>${PIN_NAME.source})|${SECRET_NAME.source})(?<sign>(?<typed>${TYPED_SIGN.source})|${SIGN.source})(?:${VALUE.source})`,
  'gi',
)

const SECRET_FIELD = new RegExp(
  `(?:${PASSWORD_NAME.source}|${PIN_NAME.source}|${SECRET_NAME.source}|cookie)$`,
  'i',
)
const PASSWORD_FIELD = new RegExp(`(?:${PASSWORD_NAME.source})$`, 'i')

function withoutNamedSecrets(text: string): string {
  return text.replace(NAMED, (all: string, ...rest: unknown[]) => {
    const found = rest.at(-1) as Record<string, string | undefined>
    const at = rest.at(-3) as number
    const { name = '', sign = '' } = found
    const quote = found['quote'] ?? found['escape'] ?? ''
    const quoted = found['quoted'] ?? found['escaped']
    const value = quoted ?? found['plain'] ?? ''
    const isFlag = sign === ' '
    if (isFlag && !/(?:^|\s)--?[\w-]*$/.test(text.slice(Math.max(0, at - 40), at))) return all
    if (found['typed'] !== undefined && quoted === undefined) return all
    const named: Named = {
      value,
      isPassword: found['password'] !== undefined,
      isQuoted: quoted !== undefined,
      isTight: sign === '=',
      isFlag,
      isShouted: name === name.toUpperCase(),
      next: text[at + all.length] ?? '',
    }
    const isFound = found['pin'] === undefined ? isSecret(named) : isPin(named)
    return isFound ? `${name}${sign}${quote}${filled(value)}${quote}` : all
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

const QUOTED = { isQuoted: true, isTight: false, isFlag: false, isShouted: false, next: '' }

function isSecret(named: Named): boolean {
  const { value, isPassword, isQuoted, isTight, isFlag, isShouted } = named
  if (isPlaceholder(value)) return false
  if (isQuoted) return isPassword ? isLiteralPassword(value) : looksRandom(value)
  if (isCode(named)) return false
  if (isTight && isShouted) return value.length >= 3
  if (!isPassword) return looksRandom(value)
  if (isTight) return value.length >= 3
  // Spaced out, only what no identifier is: `password: hunter2`, and not `password: userPassword`.
  if (value.length < 3) return false
  return isFlag
    ? /[\d\W]/.test(value)
    : /\d|[^\p{L}\p{M}\w.,?!]/u.test(value) && !/\p{Lo}/u.test(value)
}

/** Pins of a board have fewer digits, and names like `GPIO_12`. */
function isPin({ value, isQuoted, isTight, isFlag, isShouted }: Named): boolean {
  if (/^\d{4,6}$/.test(value)) return isQuoted || isTight || isFlag || isShouted
  const isVaried =
    /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d[A-Za-z]+\d|[!@#$%^*]/.test(value)
  return isVaried && looksRandom(value) && !isPlaceholder(value)
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
function isCode({ value, isPassword, isTight, isShouted, next }: Named): boolean {
  const isClosed = (isTight ? /[,)]/ : /[,);]/).test(next)
  if (/^[A-Za-z_$&*][\w$.:>?-]*[([<{]|^[([{&/:]/.test(value)) return true
  if (/^(?:0x[\da-f]+|\d+(?:<<\d+)?)$/i.test(value)) return isClosed
  // An environment has values only.
  if (isTight && isShouted) return false
  if (/^[A-Za-z_$][\w$]*$/.test(value)) {
    if (isClosed) return !(isPassword ? isMixed(value, isTight) : isLongMix(value))
    return !isTight && !/\d/.test(value)
  }
  const isPath = /^[A-Za-z_$][\w$]*(?:(?:\.|\?\.|::|->)[A-Za-z_$#][\w$]*)+[?!;]?$/.test(value)
  return isPath && (isClosed || !/\d/.test(value))
}

/** Names have a digit at their end, if at all; `password=hunter2)` is no name all the same. */
function isMixed(value: string, isTight: boolean): boolean {
  return isTight ? /\d/.test(value) : /\d[A-Za-z]+\d/.test(value)
}

function isLongMix(value: string): boolean {
  return value.length >= 16 && /\d[A-Za-z]+\d[A-Za-z]+\d/.test(value)
}

function isPlaceholder(value: string): boolean {
  return (
    value.includes(FILL) ||
    value.includes(REDACTED) ||
    value === REDACTED.slice(0, -1) ||
    /^(?:\$(?:[{(]|\w+$)|\{\{|\{\w*\}|<[^>]*>?$|%[({\w]|#\{|\*{2,}|•|\.{3}|…|[xX]{3,}$)/.test(
      value,
    ) ||
    PLACEHOLDERS.test(value)
  )
}

const PLACEHOLDERS =
  /^(?:true|false|null|nil|none|undefined|string|str|number|boolean|bool|any|unknown|bytes|text|required|optional|hidden|process\.env.*|os\.environ.*|import\.meta.*)[,;.?|]*$/i
