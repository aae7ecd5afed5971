export const HARNESS = 'qwen'
