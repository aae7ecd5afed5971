import type { Likeness } from '../screen/likeness.ts'

/**
 * How many looks in a row were like the one before. One is nothing, two may be a stall, three are one:
 * then the diagnosis says whether the program hangs or only takes its time.
 */
export type Stall = {
  stage: StallStage
  /** Spinners and timers aside. */
  alike: number
  /** The same, but for looks in which nothing moved at all: a spinner resets it. */
  motionless: number
  /** Since when the screen has been as it is; undefined before the first look. */
  since: number | undefined
}

export type StallStage = 'none' | 'potential' | 'confirmed'

export const noStall: Stall = { stage: 'none', alike: 0, motionless: 0, since: undefined }

/** `likeness` is undefined for the first look, which can be like no other. */
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
