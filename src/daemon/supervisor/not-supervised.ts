import { TrailBossError } from '../../core/errors.ts'

export function notSupervised(): TrailBossError {
  return new TrailBossError('NOT_FOUND', 'No workspace is configured, so nothing is supervised.', {
    hint: 'How to configure one is in docs/supervisor.md.',
  })
}
