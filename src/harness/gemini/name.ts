export const HARNESS = 'gemini'
