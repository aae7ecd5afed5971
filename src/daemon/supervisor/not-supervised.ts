import { TrailBossError } from '../../core/errors.ts'

export function notSupervised(): TrailBossError {
  return new TrailBossError(
    'NOT_SUPERVISED',
    'The daemon knows of no workspace, so it can run no agent.',
    {
      hint: 'How to configure one is in docs/supervisor.md; then: trailboss down && trailboss up',
    },
  )
}
