export const HARNESS = 'codex'
