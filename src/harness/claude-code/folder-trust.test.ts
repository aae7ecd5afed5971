import { expect, test } from 'vitest'
import { trust } from './folder-trust.ts'

const trusting = (text: string | undefined, folder = '/home/op/ranch', env = {}) => {
  const read = (path: string) => {
    asked.push(path)
    return text
  }
  return trust(folder, { env, home: '/home/op', read })
}
const asked: string[] = []

test('a folder is trusted if it or one around it was accepted', () => {
  const accepted = '{"projects":{"/home/op/ranch":{"hasTrustDialogAccepted":true}}}'
  expect(trusting(accepted)).toBe('trusted')
  expect(trusting(accepted, '/home/op/ranch/api/src')).toBe('trusted')
  expect(trusting(accepted, '/home/op/ranch-2')).toBe('undecided')
  expect(trusting(accepted, '/home/op')).toBe('undecided')
  expect(trusting('{"projects":{"/home/op/ranch":{"hasTrustDialogAccepted":false}}}')).toBe(
    'undecided',
  )
})

test('without a file it has not asked yet; a file that cannot be read says nothing', () => {
  expect(trusting(undefined)).toBe('undecided')
  expect(trusting('{"projects":')).toBe('unknown')
  expect(trusting('{"projects":[]}')).toBe('undecided')
})

test('it is looked for where Claude Code has it', () => {
  asked.length = 0
  trusting('{}')
  trusting('{}', '/', { CLAUDE_CONFIG_DIR: '/elsewhere' })
  expect(asked).toEqual(['/home/op/.claude.json', '/elsewhere/.claude.json'])
})
