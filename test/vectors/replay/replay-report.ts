import type { ReplayOrder } from './orders.ts';

/** A pod for which the scheduler found no node, with the scheduler's message. */
export interface UnboundPod {
  readonly pod: string;
  readonly why: string;
}

/** The replay of one plan in every order. */
export interface PlanReplay {
  readonly case: string;
  /** Number of pods that the plan places. */
  readonly placed: number;
  readonly unbound: Partial<Readonly<Record<ReplayOrder, readonly UnboundPod[]>>>;
}

export interface ReplayReport {
  readonly cases: number;
  /** Number of cases whose pods were all bound in every order. */
  readonly complete: number;
  /** Pods over all cases and orders. */
  readonly placements: number;
  readonly unbound: number;
  readonly unboundShare: number;
  readonly incomplete: readonly PlanReplay[];
}

export function summarizeReplays(replays: readonly PlanReplay[]): ReplayReport {
  const countUnbound = ({ unbound }: PlanReplay): number =>
    Object.values(unbound).reduce((sum, pods) => sum + pods.length, 0);
  const incomplete = replays.filter((replay) => countUnbound(replay) > 0);
  const placements = replays.reduce((sum, { placed, unbound }) => sum + placed * Object.keys(unbound).length, 0);
  const unbound = incomplete.reduce((sum, replay) => sum + countUnbound(replay), 0);
  return {
    cases: replays.length,
    complete: replays.length - incomplete.length,
    placements,
    unbound,
    unboundShare: placements === 0 ? 0 : unbound / placements,
    incomplete,
  };
}
