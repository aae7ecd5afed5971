/**
 * Secrets named by a sentence, a tag or a call. Words and identifiers follow such names as well, so only what
 * nobody would write otherwise counts. Every pattern is bounded.
 */
export function withoutMentionedSecrets(text: string, filled: (secret: string) => string): string {
  return SECRETS.filter(({ sign }) => sign.test(text)).reduce(
    (clean, { pattern, isSecret }) =>
      clean.replace(pattern, (all: string, before: string, value: string) =>
        isSecret(value) ? before + filled(value) : all,
      ),
    text,
  )
}

const PASSWORD_NAMES = 'pass[_-]?word|passwd|passphrase|passwort|kennwort'
const TOKEN_NAMES = '(?:secret|api|access|auth|private)[_-]?key|token|secret'

const tag = (names: string) =>
  new RegExp(
    `(<[\\w.:-]{0,60}(?:${names})(?:[ \\t][^<>\\n]{0,100})?>)((?![$[{*(%#])[^<>\\s\\ufffe]{3,256})(?=<\\\\?/)`,
    'gi',
  )
const PASSWORD_TAG = tag(PASSWORD_NAMES)
const TOKEN_TAG = tag(TOKEN_NAMES)

const QUOTE = '\\\\{0,8}["\'`]'
const SETTER = new RegExp(
  `(\\b(?:set|put|append|header|env|field|(?:set|put|add|append)_?(?:property|env|item|header|requestHeader|value|parameter|string|environmentVariable))\\(${QUOTE}[\\w.-]{0,60}(?:${PASSWORD_NAMES}|${TOKEN_NAMES})${QUOTE},[ \\t]{0,4}${QUOTE})((?![$<[{*(%#])[^\\s"'\`\\\\\\ufffe]{8,256})(?=${QUOTE})`,
  'gi',
)

const NOUN = `(?<![\\w-])(?:${PASSWORD_NAMES}|passcode|contraseña|mot de passe|senha|PIN|token|(?:api|access|secret)[ -]key)`
const STOP = '\\s"\'`<>()[\\]{}|,;，。；、\\\\\\ufffe'
const VALUE = `["'\`]?)((?![$*%#/~.-])[^${STOP}]{7,255}[^${STOP}.:?…])`
const SENTENCE = new RegExp(
  `(${NOUN}(?:[ \\t]{1,3}(?:for|of|on|für|pour|para)[ \\t]{1,3}[\\w@.:/-]{1,60}){0,2}[ \\t]{1,3}(?:is|was|ist|lautet|est|es)(?:[ \\t]{1,3}(?:now|set to))?:?[ \\t]{1,3}${VALUE}`,
  'gi',
)
const MENTION = new RegExp(
  `(\\b(?:the|this|my|your|our|with|using)[ \\t]{1,3}(?:[a-z]{1,20}[ \\t]{1,3})?${NOUN}(?:(?<!token|key)[ \\t]{1,3}to|)[ \\t]{1,3}${VALUE}`,
  'gi',
)

/** Letters and digits, and no path. */
function isMixed(value: string): boolean {
  return (
    value.length >= 8 && /\d/.test(value) && /[A-Za-z]/.test(value) && !/^[./~]|:\/\//.test(value)
  )
}

/** What a form or a schema says about its fields: `min:8|max:64`, `errors.field.min8`, `field_2`. */
function isRule(value: string): boolean {
  return /\||^[A-Za-z_.-]+:?\d+$|^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/.test(value)
}

/** Alternating letters and digits, or a symbol among them, unlike any word, path, date, version or identifier. */
function isMadeUp(value: string): boolean {
  if (!isMixed(value) || isRule(value)) return false
  if (/[/\\]|^\d{4}-\d\d|^0x|\d\.\d|@[\w-]+\.|^(?:\d+(?:ms|[smhdw]))+$/.test(value)) return false
  const isVaried =
    (/[a-z]/.test(value) && /[A-Z]/.test(value)) || value.replace(/\D/g, '').length > 2
  return isVaried && /\d[A-Za-z]+\d|[!$^*](?=.)/.test(value)
}

/** As services send it, in a sentence or behind a colon. */
const CODE =
  /((?:verification|confirmation|security|one-time|two-factor|2fa|login|otp)[ -](?:pass)?code(?:[ \t]{1,3}(?:is|was))?:?[ \t]{1,3})(\d{4,8})(?![\d.])/gi

/** `sign`: without it nothing needs to be looked for, which is quicker to see. */
type Mentioned = { sign: RegExp; pattern: RegExp; isSecret: (value: string) => boolean }

const SECRETS: readonly Mentioned[] = [
  {
    sign: /<\\?\//,
    pattern: PASSWORD_TAG,
    isSecret: (value) => /\d|[^\p{L}\p{M}\w.,:?!…-]/u.test(value),
  },
  { sign: /<\\?\//, pattern: TOKEN_TAG, isSecret: isMixed },
  {
    sign: /\(\\{0,8}["'`]/,
    pattern: SETTER,
    isSecret: (value) => isMixed(value) && !isRule(value),
  },
  { sign: /[ \t](?:is|was|ist|lautet|est|es)[ \t:]/i, pattern: SENTENCE, isSecret: isMadeUp },
  { sign: /(?:the|this|my|your|our|with|using)[ \t]/i, pattern: MENTION, isSecret: isMadeUp },
  { sign: /[ -](?:pass)?code/i, pattern: CODE, isSecret: () => true },
]
