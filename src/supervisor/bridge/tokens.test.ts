import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type BridgeScene,
  createBridgeScene,
} from '../../../test/support/supervisor/bridge-scene.ts'

const MINUTE = 60_000
let scene: BridgeScene

beforeEach(() => {
  scene = createBridgeScene()
})
afterEach(() => scene[Symbol.dispose]())

const refused = (why: string) =>
  expect.objectContaining({ code: 'UNAUTHORIZED', message: expect.stringContaining(why) })

describe('a runtime token', () => {
  test('identifies its runtime, and is nowhere in the files', () => {
    const { secret, runtimeId } = scene.launch('ranch/reviewer')
    expect(secret).toMatch(/^tbr_[\w-]{43}$/)
    expect(scene.tokens.authenticate(secret)).toMatchObject({
      runtimeId,
      agentId: 'ranch/reviewer',
      workspaceId: 'ranch',
    })
    for (const suffix of ['', '-wal']) {
      const file = readFileSync(join(scene.herd.dir, `trailboss.db${suffix}`))
      expect(file.includes(secret) || file.includes(secret.slice(4))).toBe(false)
    }
  })

  test('is audited when it is issued and revoked', () => {
    const { runtimeId } = scene.launch('ranch/reviewer')
    scene.tokens.revoke(runtimeId, 'It was stopped.')
    scene.tokens.revoke(runtimeId, 'It was stopped.')
    expect(scene.audit()).toMatchObject([
      { kind: 'token_issued', actor: 'trailboss', agentId: 'ranch/reviewer', runtimeId },
      { kind: 'token_revoked', actor: 'trailboss', runtimeId, detail: 'It was stopped.' },
    ])
  })

  test('revokes the one that its runtime had before', () => {
    const tokens = scene.tokens
    const runtime = { runtimeId: 'rt_x', agentId: 'ranch/reviewer', workspaceId: 'ranch' }
    const [first, second] = [tokens.issue(runtime), tokens.issue(runtime)]
    expect(() => tokens.authenticate(first)).toThrow(refused('was revoked'))
    expect(tokens.authenticate(second).runtimeId).toBe('rt_x')
  })

  test('lives as long as it is renewed', () => {
    const { secret } = scene.launch('ranch/reviewer')
    for (let beat = 0; beat < 5; beat++) {
      scene.pass(10 * MINUTE)
      scene.tokens.renew(scene.tokens.authenticate(secret))
    }
    scene.pass(15 * MINUTE)
    expect(() => scene.tokens.authenticate(secret)).toThrow(refused('has expired'))
  })

  test('has the configured lifetime', () => {
    using brief = createBridgeScene({ token: { lifetimeMs: 2_000 } })
    const { secret } = brief.launch('ranch/reviewer')
    brief.pass(2_000)
    expect(() => brief.tokens.authenticate(secret)).toThrow(refused('has expired'))
  })

  test('of an earlier runtime of the agent is refused', () => {
    const before = scene.launch('ranch/reviewer')
    const now = scene.launch('ranch/reviewer')
    expect(() => scene.bridge.identify(before.secret)).toThrow(refused('another runtime'))
    expect(scene.bridge.identify(now.secret).runtimeId).toBe(now.runtimeId)
  })

  test('of an agent without a runtime is refused', () => {
    const secret = scene.tokens.issue({
      runtimeId: 'rt_x',
      agentId: 'ranch/reviewer',
      workspaceId: 'ranch',
    })
    expect(() => scene.bridge.identify(secret)).toThrow(refused('another runtime'))
  })

  test.each(['', 'tbr_', 'x', `tbr_${'a'.repeat(43)}`, `tbr_${'a'.repeat(10_000)}`])(
    'is refused if it has another shape or was never issued (%#)',
    (secret) => {
      scene.launch('ranch/reviewer')
      expect(() => scene.tokens.authenticate(secret)).toThrow(refused('not a token of the bridge'))
    },
  )
})

describe('a refused token', () => {
  test('is audited without its secret, once a minute', () => {
    const { secret, runtimeId } = scene.launch('ranch/reviewer')
    scene.tokens.revoke(runtimeId, 'It was stopped.')
    const show = (shown: string) => expect(() => scene.tokens.authenticate(shown)).toThrow()
    for (let n = 0; n < 50; n++) {
      show(secret)
      show(`tbr_${String(n).padStart(43, '0')}`)
    }
    expect(scene.audit('token_refused')).toMatchObject([
      { actor: 'ranch/reviewer', runtimeId, result: 'UNAUTHORIZED' },
      { actor: 'unknown', result: 'UNAUTHORIZED', detail: 'unknown' },
    ])
    scene.pass(MINUTE)
    show(secret)
    expect(scene.audit('token_refused')).toHaveLength(3)
    expect(JSON.stringify(scene.audit())).not.toContain('tbr_')
  })
})

describe('the operator', () => {
  test('sees every token without its secret', () => {
    const reviewer = scene.launch('ranch/reviewer')
    scene.launch('ranch/executor')
    const [view, ...more] = scene.tokens.views('ranch/reviewer')
    expect(more).toEqual([])
    expect(view).toMatchObject({
      runtimeId: reviewer.runtimeId,
      agent: 'ranch/reviewer',
      revokedAt: null,
      refusal: null,
    })
    expect((view?.expiresAt ?? 0) - (view?.issuedAt ?? 0)).toBe(15 * MINUTE)
    expect(scene.tokens.views()).toHaveLength(2)
    expect(JSON.stringify(scene.tokens.views())).not.toContain('tbr_')
  })

  test('revokes one, once', () => {
    const { secret } = scene.launch('ranch/reviewer')
    const id = scene.tokens.views()[0]?.id ?? ''
    expect(scene.tokens.revokeOne(id, 'ana')).toMatchObject({
      refusal: 'revoked',
      revokedWhy: 'By operator:ana.',
    })
    expect(scene.tokens.revokeOne(id, 'bob').revokedWhy).toBe('By operator:ana.')
    expect(() => scene.tokens.authenticate(secret)).toThrow(refused('was revoked'))
    expect(scene.audit('token_revoked')).toMatchObject([{ actor: 'operator:ana', result: 'ok' }])
    expect(() => scene.tokens.revokeOne('tok_none', 'ana')).toThrow('There is no token "tok_none"')
  })
})

describe('time in which nobody could renew a token', () => {
  const keptFor = (ms: number) => {
    scene.tokens.keep()
    for (let passed = 0; passed < ms; passed += MINUTE / 4) {
      scene.pass(MINUTE / 4)
      scene.tokens.keep()
    }
  }

  test('does not count if the machine was asleep', () => {
    const { secret } = scene.launch('ranch/reviewer')
    scene.tokens.keep()
    scene.pass(8 * 60 * MINUTE)
    expect(scene.tokens.authenticate(secret).agentId).toBe('ranch/reviewer')
    keptFor(15 * MINUTE)
    expect(() => scene.tokens.authenticate(secret)).toThrow(refused('has expired'))
  })

  test('does not count if no daemon ran', () => {
    const { secret } = scene.launch('ranch/reviewer')
    scene.tokens.keep()
    scene.pass(8 * 60 * MINUTE)
    scene.restart()
    scene.tokens.keep()
    expect(scene.tokens.authenticate(secret).agentId).toBe('ranch/reviewer')
  })

  test('does not revive a token that had already ended', () => {
    const stopped = scene.launch('ranch/reviewer')
    const expired = scene.launch('ranch/executor')
    scene.tokens.revoke(stopped.runtimeId, 'It was stopped.')
    keptFor(15 * MINUTE)
    scene.pass(8 * 60 * MINUTE)
    scene.tokens.keep()
    expect(() => scene.tokens.authenticate(stopped.secret)).toThrow(refused('was revoked'))
    expect(() => scene.tokens.authenticate(expired.secret)).toThrow(refused('has expired'))
  })
})
