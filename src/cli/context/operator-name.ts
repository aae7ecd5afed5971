import { userInfo } from 'node:os'

/** The operator's name, for the audit. */
export function operatorName(): string {
  try {
    return userInfo().username || 'local'
  } catch {
    // The system has no name for this user.
    return 'local'
  }
}
