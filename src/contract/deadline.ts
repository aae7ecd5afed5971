/** Until when its sender waits for the answer, in milliseconds since 1970. Both ends have the same clock. */
export const DEADLINE_HEADER = 'x-trailboss-deadline'
