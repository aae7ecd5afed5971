import { copyFileSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** The built product with an emitter that sends nothing. Returns its launcher. */
export function sabotagedProduct(dir: string): string {
  const launcher = launcherIn(dir)
  writeFileSync(join(dir, 'bin', 'trailboss-emit'), '#!/bin/sh\ncat >/dev/null\n', { mode: 0o755 })
  symlinkSync(join(ROOT, 'dist'), join(dir, 'dist'))
  return launcher
}

/** The built product with another program as its daemon. Returns its launcher. */
export function productWithDaemon(dir: string, program: string): string {
  const launcher = launcherIn(dir)
  cpSync(join(ROOT, 'dist'), join(dir, 'dist'), { recursive: true })
  writeFileSync(join(dir, 'dist', 'daemon.mjs'), program)
  return launcher
}

function launcherIn(dir: string): string {
  mkdirSync(join(dir, 'bin'), { recursive: true })
  const launcher = join(dir, 'bin', 'trailboss')
  copyFileSync(join(ROOT, 'bin', 'trailboss'), launcher)
  symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'))
  return launcher
}
