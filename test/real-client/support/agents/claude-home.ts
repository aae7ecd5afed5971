import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const FAKE_KEY = 'sk-ant-fake-key-for-a-scripted-model'

/** What keeps Claude Code from greeting with dialogs. Leave one out to see the dialog. */
export type Greetings = { onboarded?: boolean; keyApproved?: boolean; trusted?: boolean }

/** Trust is inherited by the directories below. */
export function writeClaudeHome(
  home: string,
  projects: string,
  { onboarded = true, keyApproved = true, trusted = true }: Greetings = {},
): void {
  const settings = {
    ...(onboarded && { hasCompletedOnboarding: true }),
    ...(keyApproved && {
      customApiKeyResponses: { approved: [FAKE_KEY.slice(-20)], rejected: [] },
    }),
    projects: trusted ? { [projects]: { hasTrustDialogAccepted: true } } : {},
  }
  writeFileSync(join(home, '.claude.json'), JSON.stringify(settings))
}

/** A git repository does not inherit any. */
export function trustRepositories(home: string, roots: readonly string[]): void {
  const file = join(home, '.claude.json')
  const settings = JSON.parse(readFileSync(file, 'utf8')) as { projects: Record<string, unknown> }
  for (const root of roots) settings.projects[root] = { hasTrustDialogAccepted: true }
  writeFileSync(file, JSON.stringify(settings))
}
