import { requireTmux } from '../../../tmux/version.ts'
import { checkDemo } from '../../demo/check.ts'
import { showDemo } from '../../demo/live.ts'

export async function demo(options: { check?: boolean }): Promise<number> {
  await requireTmux()
  return options.check ? checkDemo() : showDemo()
}
