import { TrailBossError } from '../../core/errors.ts'
import { appendWritten, applyEdits, styleOf } from '../../harness/config-edit/json-edit.ts'
import { memberOf, parseJsonText } from '../../harness/config-edit/json-text.ts'
import { type StartingWorkspace, workspaceText } from './starting-workspace.ts'

/**
 * The text of config.json with this workspace added. Everything else stays the same, to the byte. `text` is
 * undefined if there is no file yet.
 */
export function withWorkspace(
  text: string | undefined,
  workspace: StartingWorkspace,
  harnesses: readonly string[],
): string {
  const root = text === undefined ? undefined : parseJsonText(text, { hasComments: true })
  if (text === undefined || root === undefined) {
    return withWorkspace('{}\n', workspace, harnesses)
  }
  if (root.kind !== 'object') {
    throw new TrailBossError('BAD_CONFIG', 'The configuration must hold one JSON object.')
  }
  const style = styleOf(text, root)
  const { unit, eol } = style
  const write = (indent: string) => workspaceText(workspace, harnesses, { indent, unit, eol })
  const workspaces = memberOf(root, 'workspaces')?.value
  if (workspaces?.kind === 'object') {
    return applyEdits(text, [appendWritten(text, workspaces, write, style)])
  }
  const member = (indent: string) =>
    [
      ...ABOUT.map((line) => `${line}${eol}${indent}`),
      `"workspaces": {${eol}${indent}${unit}`,
      write(indent + unit),
      `${eol}${indent}}`,
    ].join('')
  return applyEdits(text, [appendWritten(text, root, member, style)])
}

const ABOUT = [
  '// Where Trail Boss runs agents for you, and which. After a change: trailboss workspace check,',
  '// then trailboss workspace reload.',
]
