export const HARNESS = 'copilot'
