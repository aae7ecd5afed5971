import { expect } from 'vitest'
import type { Result } from '../command.ts'
import { snapshot } from './hooks-home.ts'

type Cycle = {
  home: string
  install(): Promise<Result>
  uninstall(): Promise<Result>
  /** Checks what must hold while it is installed. */
  isInstalled(): void
}

/** Installs and uninstalls, each twice: in the end every file is back to the original. */
export async function expectGivenBack(cycle: Cycle): Promise<void> {
  const { home, install, uninstall, isInstalled } = cycle
  const before = snapshot(home)
  expect(await install()).toMatchObject({ code: 0 })
  isInstalled()

  const between = snapshot(home)
  const again = await install()
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('Already installed') })
  expect(snapshot(home)).toEqual(between)

  expect(await uninstall()).toMatchObject({ code: 0 })
  expect(snapshot(home)).toEqual(before)
  const nothing = await uninstall()
  expect(nothing).toMatchObject({ code: 0, stdout: expect.stringContaining('Not installed') })
}
