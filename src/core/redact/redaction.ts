import { SECRET_COMMANDS, withoutCommandSecrets } from './command-secrets.ts'
import { filledBetweenBreaks } from './escaped-text.ts'
import { isPlainWord, withoutLabelledSecrets } from './labelled-secrets.ts'
import { withoutMentionedSecrets } from './named-secrets.ts'
import { withoutKeyParts, withoutPrivateKeys } from './private-keys.ts'
import { LONG_WORD, SECRET_SHAPES } from './secret-shapes.ts'
import { filledAcrossLines } from './word-wraps.ts'
import { joinedLines, type Unwrapped, unwrapped, wrappedAgain } from './wrapped-text.ts'

/** Replaces a secret. */
export const REDACTED = '[redacted]'

/** Takes a secret's place, character for character, until all are found. No text contains it. */
const FILL = '\ufffe'
const filled = (secret: string) => FILL.repeat(secret.length)

/**
 * The text without its secrets, for what we keep of a session. It knows secrets by their shape (keys of the
 * usual providers, private keys), by their place (a password in a URL, a header, a command) and by their name
 * (`password=…`). A secret that looks like an ordinary word and has no such name stays.
 */
export function redacted(text: string): string {
  return marked(fillSecrets(withoutKeys(text)))
}

/** The same for text from a screen, where long lines are wrapped: at so many columns, if that is known. */
export function redactedScreen(text: string, columns?: number): string {
  const lines = unwrapped(withoutWrappedKeys(text, columns), columns)
  const clean = wrappedAgain(fillSecrets(lines.text), lines)
  const apart = lines.breaks.length === 0 ? clean : withJoinedLinesApart(clean, lines)
  return marked(filledAcrossLines(apart, filledInPasses, ANY_NAME))
}

/** A key whose lines do not fit on the screen is found where they are whole; they stay so then. */
function withoutWrappedKeys(text: string, columns: number | undefined): string {
  const plain = text.replaceAll(FILL, '')
  const whole = columns === undefined ? plain : unwrapped(plain, columns).text
  const clean = withoutKeyParts(withoutKeys(whole), REDACTED)
  return clean === whole ? plain : clean
}

/** A line that only happens to be as long as the others ends where it ends, and so does the secret in it. */
function withJoinedLinesApart(text: string, lines: Unwrapped): string {
  const joined = joinedLines(lines)
  return text
    .split('\n')
    .map((line, at) => (joined.has(at) ? fillSecrets(line) : line))
    .join('\n')
}

function withoutKeys(text: string): string {
  return withoutPrivateKeys(text.replaceAll(FILL, ''), REDACTED)
}

function fillSecrets(text: string): string {
  return filledInPasses(filledBetweenBreaks(text, filledInPasses, FILL))
}

function filledInPasses(text: string): string {
  return PASSES.reduce((clean, { sign, pass }) => (sign.test(clean) ? pass(clean) : clean), text)
}

function marked(text: string): string {
  return text.replace(/\ufffe+/g, REDACTED)
}

/** What any name of a secret has in it. To look for it alone is quick, and most texts have none. */
const ANY_NAME =
  /pass|pwd|psk|pin|kennwort|contraseña|senha|wachtwoord|hasło|пароль|密码|密碼|パスワード|비밀번호|secret|token|key|authorization|credential|phrase|mnemonic|code/i

/** `sign`: without it, nothing needs to be looked for. */
const PASSES: readonly { sign: RegExp; pass: (text: string) => string }[] = [
  { sign: LONG_WORD, pass: (text) => text.replace(SECRET_SHAPES, withoutShape) },
  { sign: /:\/\/|[?&][\w.-]{1,60}=/, pass: withoutUrlSecrets },
  { sign: /bearer|authorization|cookie|=|"auth/i, pass: withoutHeaders },
  { sign: ANY_NAME, pass: withoutNamedSecrets },
  { sign: ANY_NAME, pass: (text) => withoutLabelledSecrets(text, filled) },
  { sign: ANY_NAME, pass: (text) => withoutMentionedSecrets(text, filled) },
  { sign: SECRET_COMMANDS, pass: (text) => withoutCommandSecrets(text, filled) },
]

/** The same for the value of a field, whose name may mark it as a secret. */
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
  const bare = text.includes('://')
    ? text
        .replace(URL_PASSWORD, (all, before, value) =>
          isPlaceholder(value) ? all : before + filled(value),
        )
        .replace(URL_TOKEN, (_, before, value) => before + filled(value))
    : text
  return bare.replace(URL_QUERY, (all, before, value) =>
    isPlaceholder(value) || !/\d/.test(value) ? all : before + filled(value),
  )
}

const BEARER =
  /(\bbearer[ \t]{1,4}|\bauthorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?[a-z]{3,12}[ \t]{1,4})([\w.~+/-]{8,4000}={0,2})/gi
const SESSION =
  /(\b(?:PHPSESSID|JSESSIONID|ASP\.NET_SessionId|connect\.sid|sessionid|laravel_session|csrftoken|XSRF-TOKEN)=)((?=[\w%.~+/-]{0,200}\d)[\w%.~+/-]{16,2000})/gi
/** As Docker keeps a name and its password. */
const AUTH_FIELD =
  /(\\{0,8}"auth\\{0,8}"[ \t]{0,4}:[ \t]{0,4}\\{0,8}")((?=[^"]{0,80}[A-Z])(?=[^"]{0,80}[a-z])(?:[A-Za-z0-9+/]{4}){2,500}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)(?=\\{0,8}")/g
const COOKIE =
  /(\b(?:set-)?cookie["']?:[ \t]{0,4}["']?)([\w.-]{1,128}=(?=[^\s;"']{0,200}\d)[^\s;"']{8,}(?:;[ \t]{0,4}[\w.%-]{1,128}=[^\s;"']{0,4000}){0,100})/gi

function withoutHeaders(text: string): string {
  return text
    .replace(BEARER, (all, before, value) =>
      /\d/.test(value) || value.length >= 24 ? before + filled(value) : all,
    )
    .replace(COOKIE, (_, before, value) => before + filled(value))
    .replace(SESSION, (_, before, value) => before + filled(value))
    .replace(AUTH_FIELD, (_, before, value) => before + filled(value))
}

/** Names of passwords, whatever they look like, and of values that are secrets only if they look like one. */
const PASSWORD_NAME =
  /pass[_-]?word|passwd|passphrase|(?<=_)pass|(?<=[_-]|; ?)pwd|(?<![A-Za-z0-9])psk|passwort|kennwort|contraseña|mot de passe|senha|wachtwoord|hasło|пароль|密码|密碼|パスワード|비밀번호/
const PIN_NAME = /(?<![A-Za-z0-9])pin(?:[_-]?code)?/
const SECRET_NAME =
  /secret|token|(?:api|app|application|access|auth|account|license|private|secret|session|signing|encryption|master|shared|service|subscription)[ _-]?key|secret_key_base|authorization|credentials?/
/** In JSON within JSON, quotes are preceded by backslashes. */
const SIGN =
  /(?:\\{0,8}["'`])?\]?[ \t]{0,8}(?::=|=>|(?<![=!<>])=(?![=>~])|[:：](?![:/=]))[ \t]{0,8}|(?<=(?:^|\s)--?[\w-]{1,60}) /
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
    if (found['typed'] !== undefined && quoted === undefined) return all
    const named: Named = {
      value,
      isPassword: found['password'] !== undefined,
      isQuoted: quoted !== undefined,
      isTight: sign === '=',
      isFlag: sign === ' ',
      isShouted: name === name.toUpperCase(),
      next: text[at + all.length] ?? '',
      isLast: /^[ \t]*(?:$|[\n;|&]|-)/.test(text.slice(at + all.length, at + all.length + 9)),
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
  /** Nothing but another flag or another command follows in its line. */
  isLast: boolean
}

const QUOTED = {
  ...{ isQuoted: true, isTight: false, isFlag: false, isShouted: false },
  ...{ next: '', isLast: false },
}

function isSecret(named: Named): boolean {
  const { value, isPassword, isQuoted, isTight, isFlag, isShouted, isLast } = named
  if (isPlaceholder(value)) return false
  if (isQuoted) return isPassword ? isLiteralPassword(value) : looksRandom(value)
  if (isFlag && isPassword && isLast && isPlainWord(value)) return true
  if (isCode(named)) return false
  if (isTight && isShouted) return value.length >= 3
  if (!isPassword) return looksRandom(value) || (isTight && isLast && isLongWord(value))
  if (isTight) return value.length >= 3
  // With spaces, only what cannot be an identifier: `password: hunter2`, but not `password: userPassword`.
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

/** A label has spaces, a label's key has dots. */
function isLiteralPassword(value: string): boolean {
  return value.length >= 3 && !/\s/.test(value) && !/^[A-Za-z_]+(?:\.[A-Za-z_]+)+$/.test(value)
}

/** Not a word, path or number: letters and digits mixed. */
function looksRandom(value: string): boolean {
  return (
    value.length >= 8 &&
    /\d/.test(value) &&
    /[A-Za-z]/.test(value) &&
    !/^[./~]|\s|:\/\//.test(value)
  )
}

/** `api_key=supersecretvalue`, and not the name of what holds it. */
function isLongWord(value: string): boolean {
  return (
    /^[a-z]{12,}$/.test(value) &&
    !/^(?:access|auth|api|secret|bearer|refresh|client|session|user|my|some|the)*(?:token|key|secret|value|credentials)$/.test(
      value,
    )
  )
}

/** An expression that yields the secret, or its type, but not the secret itself. */
function isCode({ value, isPassword, isTight, isShouted, next }: Named): boolean {
  const isClosed = (isTight ? /[,)]/ : /[,);]/).test(next)
  if (/^[A-Za-z_$&*][\w$.:>?-]*[([<{]|^[([{&/:]/.test(value)) return true
  if (/^(?:0x[\da-f]+|\d+(?:<<\d+)?)$/i.test(value)) return isClosed
  // An environment contains only values.
  if (isTight && isShouted) return false
  if (/^[A-Za-z_$][\w$]*$/.test(value)) {
    if (isClosed) return !(isPassword ? isMixed(value, isTight) : isLongMix(value))
    return !isTight && !/\d/.test(value)
  }
  const isPath = /^[A-Za-z_$][\w$]*(?:(?:\.|\?\.|::|->)[A-Za-z_$#][\w$]*)+[?!;]?$/.test(value)
  return isPath && (isClosed || !/\d/.test(value))
}

/** Identifiers have a digit only at their end, if at all; still, `password=hunter2)` is none. */
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
