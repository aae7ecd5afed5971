const SHELLS = new Set([
  ...['sh', 'bash', 'dash', 'zsh', 'fish', 'ksh', 'ksh93', 'mksh', 'oksh', 'ash', 'busybox'],
  ...['tcsh', 'csh', 'nu', 'elvish', 'xonsh', 'osh', 'ysh', 'pwsh'],
])
const WITH_VALUE = new Set(['-o', '+o', '-O', '+O', '--rcfile', '--init-file', '--login-options'])

/** Whether it is a shell that reads what the operator types, not one that runs a script or a command. */
export function isShell(name: string, argv: readonly string[]): boolean {
  if (!SHELLS.has(name)) return false
  const words = argv.slice(1)
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (/^-[a-z]*c/i.test(word) || word === '--command') return false
    if (WITH_VALUE.has(word)) at += 1
    else if (!/^[-+]/.test(word))
      return name === 'busybox' && SHELLS.has(word) && at === words.length - 1
  }
  return true
}
