/** Until when the sender waits for the answer, in milliseconds since 1970. Both ends share one clock. */
export const DEADLINE_HEADER = 'x-trailboss-deadline'
