import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CorpusScreen } from '../../test/real-client/record/screen-corpus.ts'
import { ROOT } from '../place.ts'

/** A recorded screen and its file. Nobody who wrote rules has seen a held-back one. */
export type RecordedScreen = {
  /** Relative to the directory of all recordings. */
  file: string
  harness: string
  version: string
  isHeldBack: boolean
  screen: CorpusScreen
}

const PLACE = join(ROOT, 'test', 'fixtures', 'screens')
const FILE = /^[a-z]+--(\d+)\.json$/

export function recordedScreens(): RecordedScreen[] {
  return namesIn(PLACE).flatMap((harness) =>
    namesIn(join(PLACE, harness)).flatMap((version) =>
      namesIn(join(PLACE, harness, version)).flatMap((name) => {
        const [, n] = FILE.exec(name) ?? []
        if (n === undefined) return []
        const file = join(harness, version, name)
        const isHeldBack = Number(n) % 2 === 0
        return [{ file, harness, version, isHeldBack, screen: readScreen(file) }]
      }),
    ),
  )
}

function readScreen(file: string): CorpusScreen {
  const { cursor, ...screen } = JSON.parse(readFileSync(join(PLACE, file), 'utf8'))
  return { ...screen, ...(cursor && { cursor }) } as CorpusScreen
}

function namesIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).toSorted() : []
}
