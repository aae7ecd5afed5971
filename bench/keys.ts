import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { command } from '../test/support/command.ts'
import { type Place, TRAILBOSS } from './place.ts'

/** Binds the product's own keys, as its keys file defines them. */
export async function bindKeys(place: Place): Promise<void> {
  const file = join(place.dir, 'keys.conf')
  const args = ['install', 'tmux', '--print', '--no-start']
  const { code, stdout, stderr } = await command(TRAILBOSS, args, { env: place.env })
  if (code !== 0) throw new Error(`trailboss ${args.join(' ')} exited ${code}: ${stderr}`)
  writeFileSync(file, stdout)
  await place.tmux.run('source-file', file)
}
