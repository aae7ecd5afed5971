import { expect, test } from 'vitest'
import { trust } from './folder-trust.ts'

const trusting = (files: { rules?: string; settings?: string }, folder = '/r/ranch') => {
  const read = (path: string) =>
    path === '/home/op/.gemini/trustedFolders.json'
      ? files.rules
      : path === '/home/op/.gemini/settings.json'
        ? files.settings
        : undefined
  return trust(folder, { env: {}, home: '/home/op', read })
}
const rules = (all: object) => ({ rules: JSON.stringify(all) })

test('the rule for the nearest folder counts', () => {
  expect(trusting(rules({ '/r/ranch': 'TRUST_FOLDER' }))).toBe('trusted')
  expect(trusting(rules({ '/r/ranch': 'TRUST_FOLDER' }), '/r/ranch/api')).toBe('trusted')
  expect(trusting(rules({ '/r/farm': 'TRUST_PARENT' }))).toBe('trusted')
  expect(trusting(rules({ '/r/ranch': 'DO_NOT_TRUST' }))).toBe('distrusted')
  expect(trusting(rules({ '/r': 'TRUST_FOLDER', '/r/ranch': 'DO_NOT_TRUST' }))).toBe('distrusted')
  expect(trusting(rules({ '/r/ranches': 'TRUST_FOLDER' }))).toBe('unknown')
})

test('without a rule the settings say whether it asks, and may say nothing', () => {
  const settings = (enabled: boolean) => ({
    settings: `{"security": {"folderTrust": {"enabled": ${enabled}}}} // mine`,
  })
  expect(trusting(settings(true))).toBe('undecided')
  expect(trusting(settings(false))).toBe('trusted')
  expect(trusting({})).toBe('unknown')
  expect(trusting({ rules: '{' })).toBe('unknown')
})
