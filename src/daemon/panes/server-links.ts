import type { LinkEvents } from '../../tmux/server-link/attachment.ts'
import type { LinkOptions } from '../../tmux/server-link/server-link.ts'
import { ServerLinks } from '../../tmux/server-link/server-links.ts'
import type { DaemonSettings } from '../home/settings.ts'

/** The daemon's links to its tmux servers; logs what happens to their control clients. */
export function createServerLinks(
  { config, log }: DaemonSettings,
  { requests, ...events }: Pick<LinkOptions, 'requests'> & Pick<LinkEvents, 'news' | 'failed'>,
): ServerLinks {
  return new ServerLinks({
    controlClient: config.controlClient,
    requests,
    events: {
      ...events,
      attached: (socket, failure) =>
        log.info({ socket, failure }, failure ? 'no control client' : 'control client attached'),
      lost: (socket, reason) => log.warn({ socket, reason }, 'control client lost'),
    },
  })
}
