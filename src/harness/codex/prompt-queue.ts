import { basename } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { ChannelQueue } from '../adapter/managed.ts'

/**
 * `codex queue` inserts a row into `queue_1.sqlite` of its home and exits. The session deletes the row when it takes the
 * prompt, and has it in its rollout 20 ms later (0.166.0).
 */
export const promptQueue: ChannelQueue = {
  isFile: (path) => /^queue_\d+\.sqlite$/.test(basename(path)),
  holds(path, words) {
    using db = new DatabaseSync(path, { readOnly: true, timeout: 200 })
    const query = 'SELECT count(*) AS found FROM queued_items WHERE instr(payload_json, ?) > 0'
    return db.prepare(query).get(words)?.['found'] !== 0
  },
}
