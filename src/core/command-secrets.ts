/**
 * Passwords that a command takes in a place of its own, without a name. Each pattern matches a bounded
 * piece, and the command that gives it its meaning is looked for in the bounded text before it.
 */
export function withoutCommandSecrets(text: string, filled: (secret: string) => string): string {
  return text
    .replace(USER_AND_PASSWORD, (all: string, before: string, value: string, at: number) => {
      const isPassword = /\d/.test(value) ? /[A-Za-z]/.test(value) : /[^\w]/.test(value)
      return isPassword && follows(text, at, CURL) ? before + filled(value) : all
    })
    .replace(SHORT_FLAG, (all: string, before: string, value: string, at: number) =>
      follows(text, at, MYSQL) ? before + filled(value) : all,
    )
    .replace(SSHPASS, (_, before: string, value: string) => before + filled(value))
    .replace(NETRC, (_, before: string, value: string) => before + filled(value))
}

/** `$…`, `<…>` and what was redacted before are no passwords. */
const VALUE = /(?![$<[{*])[^\s"'\\]{3,256}/.source

const USER_AND_PASSWORD = new RegExp(
  `(\\s(?:-u|--user)(?:[ \\t]{1,4}|=)?\\\\{0,3}["']?[\\w.@+-]{1,128}:)(${VALUE})`,
  'g',
)
const CURL = /\b(?:curl|wget|http|https|xh)\b[^\n;|]*$/
const SHORT_FLAG = new RegExp(`(\\s-p["']?)(${VALUE})`, 'g')
const MYSQL = /\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\b[^\n;|]*$/
const SSHPASS = new RegExp(`(\\bsshpass[ \\t]{1,4}-p[ \\t]{0,4}\\\\{0,3}["']?)(${VALUE})`, 'g')
const NETRC = new RegExp(
  `(\\blogin\\s{1,16}[^\\s"']{1,128}\\s{1,16}password\\s{1,16})(${VALUE})`,
  'gi',
)

function follows(text: string, at: number, command: RegExp): boolean {
  return command.test(text.slice(Math.max(0, at - 300), at))
}
