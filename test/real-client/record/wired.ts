import type { World } from '../../support/create-world.ts'

/** Wires a harness in the home of the world, as its operator would. */
export async function wire({ trailboss }: World, harness: string): Promise<void> {
  const { code, stderr } = await trailboss('install', harness, '--yes')
  if (code !== 0) throw new Error(`trailboss install ${harness} exited ${code}: ${stderr}`)
}
