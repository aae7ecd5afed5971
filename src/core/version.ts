declare const TRAILBOSS_VERSION: string | undefined

/** Set by the build; a run from source has none. */
export const version = typeof TRAILBOSS_VERSION === 'string' ? TRAILBOSS_VERSION : '0.0.0-source'
