import { TrailBossError } from '../../core/errors.ts'

export async function demo(_options: { check?: boolean }): Promise<number> {
  throw new TrailBossError('INTERNAL', 'demo is not there yet.')
}
