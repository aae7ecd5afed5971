import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The built product with an emitter that sends nothing. Returns its launcher. */
export function sabotagedProduct(dir: string): string {
  mkdirSync(join(dir, 'bin'), { recursive: true })
  const launcher = join(dir, 'bin', 'trailboss')
  copyFileSync(join(ROOT, 'bin', 'trailboss'), launcher)
  writeFileSync(join(dir, 'bin', 'trailboss-emit'), '#!/bin/sh\ncat >/dev/null\n', { mode: 0o755 })
  for (const part of ['dist', 'node_modules']) symlinkSync(join(ROOT, part), join(dir, part))
  return launcher
}
