import { TrailBossError } from '../../core/errors.ts'

export function notSupervised(): TrailBossError {
  return new TrailBossError(
    'NOT_SUPERVISED',
    'The daemon knows of no workspace, so it can run no agent.',
    {
      hint: 'Make one with: trailboss workspace init. Then have the daemon read it: trailboss workspace reload',
    },
  )
}
