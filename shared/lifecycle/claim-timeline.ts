import type { ClaimProgress, Launch, NodeClaim } from '../model/nodes/node-claim.ts';
import type { EpochMs } from '../model/time.ts';

/** The times of a claim's life, from its record or from live objects. */
export interface ClaimTimes extends ClaimProgress, Pick<NodeClaim, 'createdAt' | 'podsWaitedSince' | 'podRunningAt'> {
  readonly launch?: Pick<Launch, 'at' | 'calledAt'>;
}

const TIMES = {
  'pod-pending': ({ podsWaitedSince }) => podsWaitedSince,
  decided: ({ createdAt }) => createdAt,
  'fleet-requested': ({ launch }) => launch?.calledAt,
  launched: ({ launch }) => launch?.at,
  registered: ({ registeredAt }) => registeredAt,
  initialized: ({ initializedAt }) => initializedAt,
  'pod-running': ({ podRunningAt }) => podRunningAt,
  deleted: ({ deletingAt }) => deletingAt,
  'drain-started': ({ drainingAt }) => drainingAt,
  drained: ({ drainedAt }) => drainedAt,
  'volumes-detached': ({ volumesDetachedAt }) => volumesDetachedAt,
  'instance-terminating': ({ terminatingAt }) => terminatingAt,
  terminated: ({ terminatedAt }) => terminatedAt,
} as const satisfies Readonly<Record<string, (times: ClaimTimes) => EpochMs | undefined>>;

export type TimelinePhase = keyof typeof TIMES;

export const TIMELINE_PHASES: readonly TimelinePhase[] = [
  'pod-pending',
  'decided',
  'fleet-requested',
  'launched',
  'registered',
  'initialized',
  'pod-running',
  'deleted',
  'drain-started',
  'drained',
  'volumes-detached',
  'instance-terminating',
  'terminated',
];

export interface TimelineEntry {
  readonly phase: TimelinePhase;
  readonly at: EpochMs;
  /** Time since the entry before; `undefined` for the first. */
  readonly ms?: number;
}

/** Lists the phases that a claim has reached, in the order of their times. */
export function buildTimeline(times: ClaimTimes): readonly TimelineEntry[] {
  return TIMELINE_PHASES.flatMap((phase) => {
    const at = TIMES[phase](times);
    return at === undefined ? [] : [{ phase, at }];
  })
    .toSorted((a, b) => a.at - b.at)
    .map((entry, index, all) => {
      const before = all[index - 1];
      return before ? { ...entry, ms: entry.at - before.at } : entry;
    });
}
