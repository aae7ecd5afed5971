/** It sets `OC | Fix the login`, and `OpenCode` outside of a session (1.18.33). A new session has a time for a title. */
export function sessionTitle(paneTitle: string): string | undefined {
  const [, title] = /^OC \| (.+)$/.exec(paneTitle) ?? []
  return title === undefined || /^(?:New|Child) session - /.test(title) ? undefined : title
}
