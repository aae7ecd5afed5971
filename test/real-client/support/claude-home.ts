import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const FAKE_KEY = 'sk-ant-fake-key-for-a-scripted-model'

const EMITTER = fileURLToPath(new URL('../../../bin/trailboss-emit', import.meta.url))
const PROTOCOL = fileURLToPath(new URL('../../../docs/protocol.md', import.meta.url))

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

/** The settings that docs/protocol.md tells people to merge, with the path of this checkout. */
export function writeHooks(home: string): void {
  const [, block] = /```json\n(\{\n {2}"hooks"[^`]+)```/.exec(readFileSync(PROTOCOL, 'utf8')) ?? []
  if (!block) throw new Error('docs/protocol.md shows no hooks for Claude Code')
  mkdirSync(join(home, '.claude'), { recursive: true })
  const settings = block.replaceAll('/opt/trailboss/bin/trailboss-emit', EMITTER)
  writeFileSync(join(home, '.claude', 'settings.json'), settings)
}
