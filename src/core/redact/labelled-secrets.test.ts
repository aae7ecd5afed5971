import { describe, expect, test } from 'vitest'
import { redacted } from './redaction.ts'

describe('behind a label on its own line', () => {
  test.each([
    ['Password: swordfish', 'Password: [redacted]'],
    ['│ Password:  swordfish   │', '│ Password:  [redacted]   │'],
    ['  password: swordfish\n  port: 5432', '  password: [redacted]\n  port: 5432'],
    ['Your new passphrase: Swordfish', 'Your new passphrase: [redacted]'],
    ['[sudo] password for ana: swordfish', '[sudo] password for ana: [redacted]'],
    [
      "Enter passphrase for key '/home/op/.ssh/id': sword7fish",
      "Enter passphrase for key '/home/op/.ssh/id': [redacted]",
    ],
    ['API key: k-3f9a2b7c5d1e', 'API key: [redacted]'],
    ['Seed phrase: legal winner thank yellow', 'Seed phrase: [redacted]'],
    ['Secret access key    abcd1234EFGH5678', 'Secret access key    [redacted]'],
    ['{"text":"Password: swordfish"}', '{"text":"Password: [redacted]"}'],
  ])('a word is a secret: %s', (shown, kept) => {
    expect(redacted(shown)).toBe(kept)
    expect(redacted(kept)).toBe(kept)
  })

  test.each([
    'Password: required',
    'Password: incorrect. Try again.',
    'password: string',
    '  password: userPassword',
    '  password: hashed,',
    'const login = { user, password: plain',
    'create(user: ana, password: entered)',
    'Password: at least eight characters',
    'The password for staging: unknown',
    'Passphrase: must have at least four words',
    'API key: see the settings of your account',
    'Token  Kind  Used\nname   text  yes',
    'Enter passphrase (empty for no passphrase): ',
    'Secret access key    ********************',
    'password policy: strict',
  ])('these words are not: %s', (line) => {
    expect(redacted(line)).toBe(line)
  })
})

describe('as an argument', () => {
  test('a word is a secret where nothing but flags follows', () => {
    expect(redacted('tool --password swordfish -v; ls')).toBe('tool --password [redacted] -v; ls')
  })

  test.each([
    'Use --password instead of the prompt.',
    'The flags --password and --token are optional.',
    'tool --password required',
    'tool --password -v',
  ])('these words are not: %s', (line) => {
    expect(redacted(line)).toBe(line)
  })
})

test.each([
  `Key ghp_${'a1B2'.repeat(4)}…`,
  `-----BEGIN PRIVATE KEY-----\\n${'MIIEvQIBADANBgkqhkiG9w0B'.repeat(3)}…`,
])('what a cut leaves of a secret is one: %s', (text) => {
  expect(redacted(text)).not.toMatch(/a1B2|MIIE/)
})

test.each([
  'see hf_hub_download… and sk-learn… for more',
  'run npm_config_registry…',
  'key-value-store-of-the-application and key-0123',
  'the commit 4973aa0c1d2e3f405162738495a6b7c8-v2 and v1.0-beta-2',
  'patients.length and pat-eu-west and pul-request',
  's.someVeryLongIdentifierName(x) and s.toString().padStart(4)',
  'sed "s/$1$2/x/" and echo $1$PATH',
  'sessionid=12 and "auth": "basic" and "auth": "required"',
  'exit code 137, error code: 482913, status code 404',
  'zip -r a.zip src; unzip -l a.zip; 7z x a.7z; ssh-keygen -t ed25519 -f key -N ""',
  'ldapsearch -x -b dc=shop; mongosh shop --port 27017; grep -P a1b2 file',
])('ordinary text stays: %s', (line) => {
  expect(redacted(line)).toBe(line)
})
