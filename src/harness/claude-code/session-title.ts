/**
 * It sets `✳ Fix the login`, with a spinner in place of the star while it works, and its own name until the session has a
 * title (2.1.325). Without such a sign, the title is not its own.
 */
export function sessionTitle(paneTitle: string): string | undefined {
  const [, title] = /^[✳✢✶✻✽·*\u2800-\u28ff] (.+)$/u.exec(paneTitle) ?? []
  return title === 'Claude Code' ? undefined : title
}
