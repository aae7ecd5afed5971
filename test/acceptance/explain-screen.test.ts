import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { World } from '../support/create-world.ts'
import { test as base } from '../support/world.ts'

const test = base.override({ worldOptions: { up: false } })

const DIALOG = [
  '• Ran ls',
  '',
  '  Would you like to run the following command?',
  '  $ touch /etc/fence',
  '› 1. Yes, proceed (y)',
  '  2. No, and tell Codex what to do differently (esc)',
  '',
  '  Press enter to confirm or esc to cancel',
].join('\n')

const saved = ({ dir }: World, text: string): string => {
  const file = join(dir, 'screen.txt')
  writeFileSync(file, text)
  return file
}

describe('explain --screen', () => {
  test('says which rule fits, what it is read as and what is asked', async ({ world }) => {
    const { code, stdout } = await world.trailboss(
      ...['explain', '--screen', saved(world, DIALOG), '--harness', 'codex'],
    )
    expect(code).toBe(0)
    expect(stdout).toContain('a dialog with its keys')
    expect(stdout).toContain('touch /etc/fence')
  })

  test('the same words within what an agent wrote fit no dialog', async ({ world }) => {
    const prose = `${DIALOG}\n\n› Ask Codex to do anything\n\n  stub-model · ~/ranch`
    const { stdout } = await world.trailboss(
      ...['explain', '--screen', saved(world, prose), '--harness', 'codex', '--json'],
    )
    expect(JSON.parse(stdout)).toMatchObject({ shows: null })
  })

  test.for([
    ['a file that is not there', ['--screen', '/nowhere/screen.txt'], /nowhere/],
    ['a harness that nobody knows', ['--screen', '-', '--harness', 'nobody'], /nobody/],
    ['a cursor that is none', ['--screen', '-', '--cursor', 'left'], /cursor/],
    ['a title without a screen', ['--title', 'x'], /--screen FILE/],
    ['a harness without a screen', ['--harness', 'codex'], /--screen FILE/],
  ] as const)('refuses %s', async ([, args, says], { world }) => {
    const { code, stdout, stderr } = await world.trailboss('explain', ...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(says)
  })
})
