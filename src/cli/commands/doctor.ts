import { TrailBossError } from '../../core/errors.ts'

export async function doctor(_options: { json?: boolean }): Promise<number> {
  throw new TrailBossError('INTERNAL', 'doctor is not there yet.')
}
