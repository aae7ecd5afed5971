import type { Likeness } from '../screen/likeness.ts'

/**
 * How many looks in a row were like the one before. One means nothing, two may be a stall, three are one: then
 * the diagnosis decides whether the program hangs or is just slow.
 */
export type Stall = {
  stage: StallStage
  /** Ignoring spinners and timers. */
  alike: number
  /** The same, but only looks in which nothing moved at all: a spinner resets it. */
  motionless: number
  /** Since when the screen has not changed; undefined before the first look. */
  since: number | undefined
}

export type StallStage = 'none' | 'potential' | 'confirmed'

export const noStall: Stall = { stage: 'none', alike: 0, motionless: 0, since: undefined }

/** `likeness` is undefined for the first look, which has nothing to compare with. */
export function nextStall(stall: Stall, likeness: Likeness | undefined, at: number): Stall {
  switch (likeness) {
    case 'identical':
    case 'spinning': {
      const alike = stall.alike + 1
      const motionless = likeness === 'identical' ? stall.motionless + 1 : 0
      return { stage: stageOf(alike), alike, motionless, since: stall.since ?? at }
    }
    case undefined:
    case 'changed':
    case 'scrolled-far':
      return { ...noStall, since: at }
    default:
      return likeness satisfies never
  }
}

/** Nothing at all has moved for as long as it takes to confirm a stall. */
export function isMotionless({ motionless }: Stall): boolean {
  return stageOf(motionless) === 'confirmed'
}

function stageOf(alike: number): StallStage {
  return alike >= 3 ? 'confirmed' : alike === 2 ? 'potential' : 'none'
}
