import type { HookFormat } from '../hook-install/hook-edit.ts'
import { HARNESS } from './name.ts'

/** Seconds. The emitter needs a fraction of one, and Qwen Code waits for it, which keeps the hooks in order. */
const TIMEOUT = 5

export const FORMAT: HookFormat = {
  harness: HARNESS,
  title: 'Qwen Code',
  fields: () => ({ type: 'command', name: 'trailboss', timeout: TIMEOUT }),
  needed: ['type'],
  wanted: ['name'],
  hasComments: true,
}
