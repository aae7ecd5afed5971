export const HARNESS = 'opencode'
