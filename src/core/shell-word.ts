/** As a single word for a shell. */
export function shellWord(text: string): string {
  return /^[\w/.@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
