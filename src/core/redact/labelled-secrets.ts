/**
 * Secrets that have a line with their label to themselves, as screens show them. Behind `Password:` even a plain
 * word is one, unless it is a word about passwords or of code. Every pattern is bounded.
 */
export function withoutLabelledSecrets(text: string, filled: (secret: string) => string): string {
  return SECRETS.reduce(
    (clean, [pattern, isSecret]) =>
      clean.replace(pattern, (all: string, before: string, value: string, at: number) => {
        const line =
          clean
            .slice(Math.max(0, at - MOST_BEFORE), at)
            .split(BREAK)
            .at(-1) ?? ''
        return isSecret(value) && IS_LABEL.test(line) ? before + filled(value) : all
      }),
    text,
  )
}

/** `swordfish`, and not `required` or `userPassword`: a word that says nothing about passwords, and no name. */
export function isPlainWord(value: string): boolean {
  return /^[A-Za-z]{4,64}$/.test(value) && !WORDS.test(value) && !/[a-z][A-Z]/.test(value)
}

const MOST_BEFORE = 80
/** In JSON a line begins at a quote, or behind an escaped break. */
const BREAK = /\n|\\{1,8}[nr]|["'`]/
/** Signs, a frame or a number, and a few words: nothing of a program's text. */
const IS_LABEL = /^[^\w{(;=<,]*[\w’.@/[\]: \t-]{0,80}$/

const FOR = '(?:[ \\t]{1,3}(?:for|of|to)[ \\t]{1,3}[^\\n:：]{1,120})?'
const SIGN = '["\']?[ \\t]{0,4}[:：][ \\t]{1,40}'
/** Of the line, or of the text in quotes. */
const END = '(?=\\.?[ \\t]{0,200}[│┃║|]?[ \\t]{0,8}(?:\\n|$|\\\\{1,8}[nr])|\\\\{0,8}["\'`])'
const PASSWORD = '(?<![\\w-])(?:pass[ _-]?word|passwd|passphrase|passcode)'
const PHRASE = '(?<![\\w-])(?:passphrase|(?:recovery|seed|secret|backup)[ _-]phrase|mnemonic)'
const KEY =
  '(?<![\\w-])(?:(?:api|access|secret|auth|private|license|account)[ _-](?:access[ _-])?key|token|secret)'

const WORD = new RegExp(`(${PASSWORD}${FOR}${SIGN})([A-Za-z]{4,64})${END}`, 'gi')
const ANSWER = new RegExp(
  `(${PASSWORD}[ \\t]{1,3}(?:for|of|to)[ \\t]{1,3}(?:[a-z]{1,20}[ \\t])?(?:'[^'\\n]{1,200}'|"[^"\\n]{1,200}"|[^\\s:]{1,200})[ \\t]{0,2}:[ \\t]{1,3})(\\S{4,256})${END}`,
  'gi',
)
const WORDS_IN_ROW = new RegExp(
  `(${PHRASE}["']?[ \\t]{0,4}[:：=][ \\t]{0,8})([a-z]{3,12}(?:[ -][a-z]{3,12}){3,23})${END}`,
  'gi',
)
/** A table has its values in a column of their own. */
const COLUMN = new RegExp(`(${KEY}[ \\t]{2,40})([\\w+/=.-]{16,256})${END}`, 'gi')

/** Words about passwords, and of code that has them. */
const WORDS =
  /^(?:yes|none|null|true|false|undefined|unknown|hidden|empty|blank|unset|missing|absent|required|optional|valid|invalid|correct|incorrect|wrong|accepted|rejected|denied|changed|updated|reset|expired|forgotten|stored|saved|encrypted|hashed|redacted|masked|same|again|here|there|below|above|instead|when|with|must|only|also|first|flag|flags|option|options|argument|arguments|string|text|bytes|number|boolean|object|type|hash|salt|pass|passwd|password|passphrase|secret|token|value|values|input|field|label|prompt|auth|login|user|username|plain|plaintext|form|body|data|state|self|this|config|settings|params|props|args|default|example|changed|todo|fixme|disabled|enabled|failed|success|mismatch|weak|strong|short|long)$/i

/** Sentences have words that no phrase has. */
const SENTENCE =
  /(?:^|[ -])(?:the|this|that|your|our|and|not|for|are|was|has|have|must|may|can|will|should|with|from|than|least|characters|words|required|invalid|incorrect)(?:$|[ -])/i

function isMixed(value: string): boolean {
  return /\d/.test(value) && /[A-Za-z]/.test(value) && !/^[./~]|:\/\//.test(value)
}

const SECRETS: readonly (readonly [RegExp, (value: string) => boolean])[] = [
  [WORD, isPlainWord],
  [ANSWER, (value) => /\d/.test(value) && !/^[[$<{*(%#/~]|[,;:)]$/.test(value)],
  [WORDS_IN_ROW, (value) => !SENTENCE.test(value)],
  [COLUMN, isMixed],
]
