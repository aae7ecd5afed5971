import type { Entry } from './model/entry.ts'
import type { Key } from './model/keys.ts'
import {
  type Model,
  type Undoable,
  type Update,
  withNextSelected,
  withNotice,
} from './model/model.ts'
import { beginSnooze, pressSnoozeKey, type Snoozing } from './model/snooze.ts'

export function dismiss(
  model: Model,
  entry: Entry | undefined,
  how: { evenBlocked: boolean },
): Update {
  if (!entry) return [model, []]
  if (entry.isBlocked && !how.evenBlocked) {
    const text = 'It waits for an answer. D dismisses it all the same.'
    return [withNotice(model, text, 'alert'), []]
  }
  if (model.leaving === entry.key) return [withNotice(model, 'That is being done.', 'info'), []]
  const next = withUndoable({ ...model, leaving: entry.key }, { act: 'dismiss', entry })
  return [next, [{ kind: 'dismiss', entry, ...how }]]
}

export function startSnooze(model: Model, entry: Entry | undefined): Model {
  return entry ? { ...model, snoozing: beginSnooze(entry) } : model
}

export function snoozeKey(model: Model, snoozing: Snoozing, key: Key): Update {
  const step = pressSnoozeKey(snoozing, key, model.now)
  switch (step.kind) {
    case 'choosing':
      return [{ ...model, snoozing: step.snoozing }, []]
    case 'unreadable':
      return [withNotice(model, step.why, 'alert'), []]
    case 'left':
      return [{ ...model, snoozing: undefined }, []]
    case 'chosen': {
      const { entry, time } = step
      const next = entry.key === model.selected ? withNextSelected(model) : model
      const snoozed = withUndoable({ ...next, snoozing: undefined }, { act: 'skip', entry })
      return [snoozed, [{ kind: 'skip', entry, time }]]
    }
  }
}

export function undo(model: Model): Update {
  const [last, ...undoable] = model.undoable
  if (!last) return [withNotice(model, 'Nothing is left to undo here.', 'info'), []]
  return [{ ...model, undoable, leaving: undefined }, [{ kind: 'undo', undo: last }]]
}

export function withUndoable(model: Model, act: Undoable): Model {
  return { ...model, undoable: [act, ...model.undoable] }
}

/** It was not done, so there is nothing to undo, and its item stays. */
export function withoutUndoable(model: Model, { act, entry }: Undoable): Model {
  const at = model.undoable.findIndex((one) => one.act === act && one.entry.key === entry.key)
  const undoable = at === -1 ? model.undoable : model.undoable.toSpliced(at, 1)
  return { ...model, undoable, leaving: model.leaving === entry.key ? undefined : model.leaving }
}
