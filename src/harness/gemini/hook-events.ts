/**
 * The hooks that we register, in the order in which they are written. Gemini CLI waits for each, so the
 * ones around every request to the model are left alone. A version that does not know one of them says
 * so in a line and goes on.
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
