/**
 * The hooks that we register, in the order in which we write them. Gemini CLI waits for each, so we leave out
 * those around every request to the model. A version that does not know one of them prints a line and
 * continues.
 */
export const HOOK_EVENTS = [
  'SessionStart',
  'SessionEnd',
  'BeforeAgent',
  'BeforeTool',
  'Notification',
  'AfterTool',
  'AfterAgent',
] as const
