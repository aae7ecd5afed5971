/** The help's heading for the commands of the supervisor. */
export const RUN_BY_US =
  'For agents that Trail Boss runs itself, once you have configured a workspace:'

export const AGENT = 'the agent: <workspace>/<role>'
