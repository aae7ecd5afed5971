/**
 * Passwords that a command takes by position, without a name. Each pattern matches a bounded piece, and we look
 * for the command that gives it its meaning in the bounded text before it.
 */
export function withoutCommandSecrets(text: string, filled: (secret: string) => string): string {
  const found = PLACES.reduce(
    (clean, { place, after, isPassword }) =>
      clean.replace(place, (all: string, before: string, value: string, at: number) =>
        (!after || after.test(clean.slice(Math.max(0, at - 300), at))) &&
        (isPassword?.(value) ?? true)
          ? before + filled(value)
          : all,
      ),
    text,
  )
  return found.replace(HTPASSWD, (all: string, command: string, words: string) => {
    if (!/\s-\w*b/.test(command)) return all
    const names = /\s-\w*n/.test(command) ? ONE_WORD : TWO_WORDS
    return (
      command + words.replace(names, (_, before: string, value: string) => before + filled(value))
    )
  })
}

/** Without one of these words there is no such place. */
export const SECRET_COMMANDS =
  /curl|wget|http|xh|mysql|mariadb|mongo|cqlsh|login|-cli|secret|sshpass|-keygen|pass|sudo|net(?:\.exe)?[ \t]|send|zip|7z|rar|ldap|smbclient|sqlcmd|mosquitto|sqlplus/i

type Place = {
  /** What precedes the password, and the password. */
  place: RegExp
  /** The command that the option belongs to. */
  after?: RegExp
  isPassword?: (value: string) => boolean
}

/** `$…`, `<…>`, `PASSWORD` and redacted text are no passwords. */
const VALUE =
  /((?![$<[{*]|(?:[Yy]our[-_]|YOUR_|[Mm]y[-_]|MY_)?(?:[Pp]assword|PASSWORD|PASS|PW|[Ss]ecret|SECRET|[Tt]oken|TOKEN)(?![\w-]))[^\s"'`\\\ufffe]{3,256})/
    .source
const GAP = '[ \\t]{1,4}'
const QUOTE = '\\\\{0,3}["\']?'
const USER = '[\\w.@+-]{1,128}:'
/** `-p`, but not the `-pass` of another command. */
const SHORT_FLAG = '\\s-p(?!ass(?:in|out)?(?!\\w))'
const SUDO_FLAGS = `sudo(?:${GAP}-[ugp]${GAP}\\S{1,40}|${GAP}-[\\w-]{1,20}){0,3}${GAP}(?:-[A-Za-z]{0,5}S[A-Za-z]{0,5}|--stdin)(?![\\w-])`
const place = (before: string, behind = '', flags = 'g') =>
  new RegExp(`(${before}${QUOTE})${VALUE}${behind}`, flags)
const echoed = (before: string, reader: string) =>
  place(
    `\\b(?:echo|printf)(?:${GAP}-[neE]{1,3}){0,2}(?:${GAP}${QUOTE}%s(?:\\\\{1,4}n)?${QUOTE})?${GAP}${QUOTE}${before}`,
    `(?=(?:\\\\{1,4}n)?${QUOTE}[ \\t]{0,4}\\|[ \\t]{0,4}(?:${reader}))`,
  )

const PLACES: readonly Place[] = [
  {
    place: place(`\\s(?:-u|--user)(?:${GAP}|=)?${QUOTE}${USER}`),
    after: /\b(?:curl|wget|http|https|xh)\b[^\n;|]*$/,
    isPassword: isNoGroup,
  },
  {
    place: place(`\\s(?:-a|--auth)(?:${GAP}|=)${QUOTE}${USER}`),
    after: /\b(?:https?|xhs?)(?:[ \t][^\n;|]*)?$/,
    isPassword: isNoGroup,
  },
  {
    place: place(SHORT_FLAG),
    after: /\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\b[^\n;|]*$/,
  },
  {
    place: place(`${SHORT_FLAG}(?:${GAP}|=)?`),
    after:
      /\b(?:docker|podman|nerdctl|buildah|skopeo|oras|az|oc|cf)[ \t][^\n;|&]{0,80}\blogin\b[^\n;|&]*$/,
  },
  {
    place: place(`${SHORT_FLAG}(?:${GAP}|=)`),
    after: /\b(?:mongo(?:sh|dump|restore|export|import)?|cqlsh)\b[^\n;|]*$/,
  },
  { place: place('\\s-p'), after: /\b(?:7z[az]?|rar|unrar)[ \t][^\n;|]*$/ },
  {
    place: place(`\\s-P(?:${GAP})?`),
    after: /\b(?:zip|unzip|sqlcmd|bcp|mosquitto_(?:pub|sub))\b[^\n;|]*$/,
  },
  { place: place(`\\s-[NP]${GAP}`), after: /\bssh-keygen\b[^\n;|]*$/ },
  { place: place(`\\s-w${GAP}`), after: /\bldap(?:search|add|modify|passwd|whoami)\b[^\n;|]*$/ },
  {
    place: place(`\\s(?:-U|--user)(?:${GAP}|=)${QUOTE}[\\w.\\\\-]{1,128}%`),
    after: /\b(?:smbclient|rpcclient|mount\.cifs)\b[^\n;|]*$/,
  },
  { place: place(`\\bsqlplus${GAP}(?:-[sS]${GAP})?\\w{1,64}/`, '(?=@)') },
  { place: place(`\\s(?:-a|--pass)${GAP}`), after: /\b(?:redis|valkey)-cli\b[^\n;|]*$/ },
  {
    place: place(`\\s(?:-b|--body)(?:${GAP}|=)`),
    after: /\bgh[ \t]{1,4}secret[ \t]{1,4}set\b[^\n;|]*$/,
  },
  { place: place(`\\bsshpass${GAP}-p[ \\t]{0,4}`) },
  { place: place(`\\s-pass(?:in|out)?${GAP}${QUOTE}pass:`) },
  { place: place(`\\blogin\\s{1,16}[^\\s"']{1,128}\\s{1,16}password\\s{1,16}`, '', 'gi') },
  {
    place: echoed(
      '',
      `${SUDO_FLAGS}|[^\\n;|]{1,120}${GAP}--(?:password-stdin|with-token)\\b|(?:sudo${GAP})?passwd${GAP}[^\\n;|]{0,40}--stdin`,
    ),
  },
  { place: echoed(USER, `(?:sudo${GAP}(?:-\\w{1,8}${GAP})?)?chpasswd\\b`) },
  { place: place('<<<[ \\t]{0,4}'), after: new RegExp(`\\b${SUDO_FLAGS}[^\\n;|]*$`) },
  { place: place(`<<<[ \\t]{0,4}${QUOTE}${USER}`), after: /\bchpasswd\b[^\n;|]*$/ },
  {
    place: place(
      `\\bnet(?:\\.exe)?${GAP}use${GAP}(?:[\\w*]:?${GAP})?${QUOTE}\\\\{2,8}[^\\s"']{1,200}${QUOTE}${GAP}`,
      `(?=["']?${GAP}/user:)`,
    ),
  },
  {
    place: place(`\\s/user:[^\\s"']{1,128}${GAP}(?!/)`),
    after: /\bnet(?:\.exe)?[ \t]{1,4}use\b[^\n;|]*$/,
  },
  {
    place: place(`\\bsend(?:${GAP}--)?${GAP}`, '(?=\\\\{1,8}[rn])'),
    after: /\bexpect\b(?:(?!\bsend\b)[\s\S])*ass(?:word|phrase|code)(?:(?!\bsend\b)[\s\S])*$/i,
  },
  {
    place: place(
      `\\bsend(?:${GAP}--)?${GAP}`,
      '(?=\\\\{1,8}[rn]\\\\{0,8}["\'][ \\t;]{0,8}#[^\\n]{0,40}pass(?:word|phrase))',
      'gi',
    ),
  },
]

/** `-u app:staff` and `-u 1000:1000` are a user and a group. */
function isNoGroup(value: string): boolean {
  return /\d/.test(value) ? /[A-Za-z]/.test(value) : /[^\w]/.test(value)
}

/** `htpasswd -b FILE USER PASSWORD`, and with `-n` without a file. */
const HTPASSWD = new RegExp(
  `(\\bhtpasswd(?:${GAP}-[A-Za-z]{1,8}(?:${GAP}\\d{1,2}(?=[ \\t]))?){1,4})((?:${GAP}[^\\s;|&<>]{1,256}){2,3})`,
  'g',
)
const ONE_WORD = new RegExp(`^(${GAP}\\S+${GAP}${QUOTE})${VALUE}`)
const TWO_WORDS = new RegExp(`^(${GAP}\\S+${GAP}\\S+${GAP}${QUOTE})${VALUE}`)
