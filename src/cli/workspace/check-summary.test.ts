import { expect, test } from 'vitest'
import { broken, ok, warning } from '../../harness/wiring/check.ts'
import { checkSummary } from './check-summary.ts'
import { daemonChecks } from './daemon-checks.ts'

test('broken checks decide the result, warnings are counted', () => {
  const [good, odd, bad] = [ok('a', ''), warning('b', '', ''), broken('c', '', '')]
  expect(checkSummary([good])).toEqual({
    text: 'Everything will work.',
    tone: 'good',
    isBroken: false,
  })
  expect(checkSummary([good, odd])).toMatchObject({ text: 'Everything will work, 1 warning.' })
  expect(checkSummary([bad, odd, bad, odd])).toEqual({
    text: '2 things will not work, 2 warnings.',
    tone: 'bad',
    isBroken: true,
  })
})

test('a daemon that does not know the workspaces is broken, one with other outdated settings is not', () => {
  const checksOf = (configChanged?: string[]) => {
    const daemon = { running: true, pid: 1, version: '1', startedAt: 1 }
    const view = {
      daemon,
      stuck: 0,
      ready: 0,
      working: 0,
      labels: {},
      warnings: [],
      tcp: null,
      servers: [],
    }
    return daemonChecks({ ...view, ...(configChanged && { configChanged }) })
  }
  expect(checksOf()).toMatchObject([{ status: 'ok' }])
  expect(checksOf([])).toMatchObject([{ status: 'ok' }])
  expect(checksOf(['workspaces', 'port'])).toMatchObject([
    { status: 'broken', mend: 'Have it read them: trailboss workspace reload' },
    { status: 'warning', detail: expect.stringContaining('port') },
  ])
})
