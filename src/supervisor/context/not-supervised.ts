import { TrailBossError } from '../../core/errors.ts'

export function notSupervised(): TrailBossError {
  return new TrailBossError(
    'NOT_SUPERVISED',
    'The daemon knows of no workspace, so it can run no agent.',
    {
      hint: 'Add one under "workspaces" in the configuration: trailboss runtime list says where, with an example. Then: trailboss restart',
    },
  )
}
