import { userInfo } from 'node:os'

/** Who sits here, for the audit. */
export function operatorName(): string {
  try {
    return userInfo().username || 'local'
  } catch {
    // A user whom the system has no name for.
    return 'local'
  }
}
