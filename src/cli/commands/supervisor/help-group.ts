/** The heading under which the help lists every command for agents that Trail Boss runs. */
export const RUN_BY_US = 'For agents that it runs itself, once you have configured a workspace:'

export const AGENT = 'the agent: <workspace>/<role>'
