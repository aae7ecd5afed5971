import type { DispatchView } from '../../../src/contract/dispatch.ts'
import type { RuntimeView, TriggerView } from '../../../src/contract/supervisor.ts'
import { NOW } from './queue-item.ts'

/** A runtime that has been ready for four minutes. */
export function runtimeView(role: string, changes: Partial<RuntimeView> = {}): RuntimeView {
  return {
    runtimeId: `rt_${role}`,
    agent: `ranch/${role}`,
    workspace: 'ranch',
    role,
    harness: 'codex',
    status: 'ready',
    statusSince: NOW - 4 * 60_000,
    session: '0199a213-81c0-7800-8aa1-bbab2a035a53',
    target: `agents_ranch:${role}.0`,
    pane: { socket: '/tmp/tmux-1000/default', id: '%3', server: 11, pid: 4242 },
    pid: 4242,
    cwd: '/home/op/ranch',
    operatorBusy: false,
    lastHeartbeatAt: null,
    lastTriggerId: null,
    startedAt: NOW - 5 * 60_000,
    failures: [],
    wantsRunning: true,
    removed: false,
    lastFailure: null,
    openTriggers: 0,
    waits: null,
    hooks: null,
    ...changes,
  }
}

/** A trigger created four minutes ago, which arrived two seconds later. */
export function triggerView(id: string, changes: Partial<TriggerView> = {}): TriggerView {
  const createdAt = NOW - 4 * 60_000
  return {
    id,
    agent: 'ranch/reviewer',
    runtimeId: 'rt_reviewer',
    thread: null,
    reason: 'review',
    state: 'delivered',
    via: 'paste',
    code: null,
    sentence: null,
    ack: { kind: 'hook', at: createdAt + 2_100 },
    createdAt,
    claimedAt: createdAt + 900,
    settledAt: createdAt + 2_100,
    pastes: 1,
    enters: 1,
    resumes: 0,
    spawns: 0,
    force: null,
    retriedAs: null,
    dismissed: false,
    words: 'Review the last commit.',
    screen: null,
    bytes: 118,
    sha256: '3f9a2c1d5e8b7f60'.repeat(4),
    ...changes,
  }
}

/** A dispatch that began four minutes ago, and has been working for three. */
export function dispatchView(name: string, changes: Partial<DispatchView> = {}): DispatchView {
  return {
    id: `dsp_${name}`,
    name,
    agent: `ranch/${name}`,
    workspace: 'ranch',
    runtimeId: `rt_${name}`,
    harness: 'codex',
    cwd: '/home/op/ranch',
    policy: 'escalate',
    reviewer: null,
    state: 'working',
    stateSince: NOW - 3 * 60_000,
    why: null,
    startedAt: NOW - 4 * 60_000,
    validatedAt: NOW - 3 * 60_000,
    endedAt: null,
    trigger: 'trg_4k8x2m7q1abc',
    reviewTrigger: null,
    waiting: false,
    ask: null,
    canAccept: false,
    result: null,
    review: null,
    session: '0199a213-81c0-7800-8aa1-bbab2a035a53',
    target: `agents_ranch:${name}.0`,
    pane: { socket: '/tmp/tmux-1000/default', id: '%7', server: 11, pid: 4243 },
    pressed: 0,
    ...changes,
  }
}
