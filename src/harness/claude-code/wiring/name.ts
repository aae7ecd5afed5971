export const HARNESS = 'claude-code'
