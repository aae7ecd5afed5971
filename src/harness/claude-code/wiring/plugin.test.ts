import { expect, test } from 'vitest'
import { version } from '../../../core/version.ts'
import type { Site } from '../../wiring/wiring.ts'
import { pluginManifest } from './plugin.ts'
import { manifestPath } from './settings.ts'
import { wiring } from './wiring.ts'

const site: Site = {
  env: { HOME: '/nowhere' },
  home: '/nowhere',
  emitter: { program: '/opt/trailboss-emit' },
  launcher: '/opt/trailboss',
  read: () => undefined,
  peek: () => undefined,
  before: () => undefined,
  note: () => undefined,
}

test('the manifest of the plugin has the version of the product', async () => {
  const plan = await wiring.install.plan(site, { plugin: '/nowhere/plugin' })
  const writes = 'writes' in plan ? plan.writes : []
  const manifest = writes.find(({ path }) => path === manifestPath('/nowhere/plugin'))
  expect(JSON.parse(manifest?.after ?? '{}')).toMatchObject({ name: 'trailboss', version })
  expect(JSON.parse(pluginManifest('1.2.3'))).toMatchObject({ version: '1.2.3' })
})
