import { expect, test } from 'vitest'
import { pluginSkills } from './skills.ts'

const [dispatch] = pluginSkills({ program: '/opt/trailboss/bin/trailboss' })

test('the dispatch skill keeps its reader out of the other agent’s pane', () => {
  const [before = ''] = dispatch?.text.split('## 1. Launch') ?? []
  expect(before).toContain('Never type into its pane, and never read it with tmux.')
})

test('the dispatch skill has the result reviewed before it is called done', () => {
  const [, complete = ''] = dispatch?.text.split('## 3. Complete') ?? []
  expect(complete).toContain('Have it reviewed before you call it done')
  expect(complete).toContain('dispatch the review yourself, as NAME-review')
  expect(dispatch?.text).toContain('Use `--no-reviewer` only if the user wants no review.')
})
