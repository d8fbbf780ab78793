import type { Order } from './orders.ts';

/** A pod that no node was found for, and what the scheduler says of it. */
export interface Unbound {
  readonly pod: string;
  readonly why: string;
}

/** One plan, replayed in every order. */
export interface Replay {
  readonly case: string;
  /** Pods that the plan places. */
  readonly placed: number;
  readonly unbound: Partial<Readonly<Record<Order, readonly Unbound[]>>>;
}

export interface ReplayReport {
  readonly cases: number;
  /** Cases whose pods were all bound, in every order. */
  readonly complete: number;
  /** Pods over all cases and orders. */
  readonly placements: number;
  readonly unbound: number;
  readonly unboundShare: number;
  readonly incomplete: readonly Replay[];
}

export function replayReport(replays: readonly Replay[]): ReplayReport {
  const countOf = ({ unbound }: Replay): number =>
    Object.values(unbound).reduce((sum, pods) => sum + pods.length, 0);
  const incomplete = replays.filter((replay) => countOf(replay) > 0);
  const placements = replays.reduce(
    (sum, { placed, unbound }) => sum + placed * Object.keys(unbound).length,
    0,
  );
  const unbound = incomplete.reduce((sum, replay) => sum + countOf(replay), 0);
  return {
    cases: replays.length,
    complete: replays.length - incomplete.length,
    placements,
    unbound,
    unboundShare: placements === 0 ? 0 : unbound / placements,
    incomplete,
  };
}
