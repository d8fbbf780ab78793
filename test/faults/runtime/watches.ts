import { ApiUnreachableError } from '../../../shared/kubernetes/client/api-errors.ts';
import { type ClusterChange, toHintsOfChange } from '../../../shared/kubernetes/watch/hints-of-change.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { type EpochMs, SECOND_MS } from '../../../shared/model/time.ts';
import type { Cluster, ClusterObjects, ObservationScope } from '../../../shared/ports/cluster.ts';
import type { Hint } from '../../../shared/ports/work-queue.ts';
import { toNodeClaimObject } from '../../../shared/simulation/control-plane/cluster.ts';
import type { OpenWorld } from '../../../shared/simulation/create-world.ts';
import type { ConcurrentClock } from './concurrent-clock.ts';
import type { FaultPlan } from './fault-plan.ts';
import type { FindPast } from './past-objects.ts';

/** Each kind has a watch of its own, so that their copies are of different moments. */
const KINDS = ['pods', 'nodes', 'nodeClaims', 'others'] as const;
type Kind = (typeof KINDS)[number];

/** The longest silence, delay and both together that a fault gives a watch. */
export const MAX_WATCH_AGE_MS = 90 * SECOND_MS;

const TICK_MS = 5 * SECOND_MS;

interface WatchState {
  silentFrom: EpochMs;
  silentUntil: EpochMs;
  cutUntil: EpochMs;
  lateMs: number;
  /** The moment of the copy, which never goes back. */
  shownAt: EpochMs;
  /** Events of one kind arrive in order. */
  lastArrivalAt: EpochMs;
}

export interface WatchParts {
  readonly open: OpenWorld;
  /** How the API server answers a list. */
  readonly listed: Cluster;
  readonly clock: ConcurrentClock;
  readonly faults: FaultPlan;
  readonly findPast: FindPast;
  readonly hint: (hint: Hint, at: EpochMs) => void;
}

/**
 * The cluster as the watches of `mortise controller` show it, which may be silent, cut or late, and the
 * hints that they send. As in `watchedKubernetesCluster`, pods without a node are listed, and so is
 * everything about a claim that is leaving. The protocol of a single watch has tests of its own.
 */
export function watchWithFaults(parts: WatchParts): Pick<Cluster, 'observe' | 'observeClaim' | 'podsOnNodes'> {
  const { open, listed, clock, faults, findPast } = parts;
  const states = new Map(KINDS.map((kind): [Kind, WatchState] => [kind, createState()]));
  const stateOf = (kind: Kind): WatchState => states.get(kind) ?? createState();

  function strike(state: WatchState): void {
    const now = clock.now();
    if (now < state.silentUntil) return;
    state.lateMs = faults.strike('late-watch')?.ms ?? 0;
    const silent = faults.strike('silent-watch');
    if (silent) [state.silentFrom, state.silentUntil] = [now, now + silent.ms];
    const cut = faults.strike('cut-watch');
    if (cut) state.cutUntil = now + cut.ms;
  }
  const tick = (): void => {
    for (const state of states.values()) strike(state);
    clock.startAfter(TICK_MS, tick);
  };
  tick();

  /** The moment as of which the copy of a kind is. */
  function moveCopy(kind: Kind): EpochMs {
    const state = stateOf(kind);
    const now = clock.now();
    const newest = now < state.silentUntil ? state.silentFrom : now;
    state.shownAt = Math.max(state.shownAt, newest - state.lateMs);
    return state.shownAt;
  }

  async function observe(scope?: ObservationScope): Promise<ClusterObjects> {
    const now = clock.now();
    if ([...states.values()].some(({ cutUntil }) => now < cutUntil))
      throw new ApiUnreachableError(WATCH, { why: 'watches end as soon as they begin' });
    const current = await listed.observe(scope);
    const find = (kind: Kind): ClusterObjects => {
      const moment = moveCopy(kind);
      return moment === now ? current : (findPast(moment) ?? current);
    };
    const { pods, lastPodEventAt } = find('pods');
    return {
      ...current,
      ...pickOthers(find('others')),
      nodes: find('nodes').nodes,
      nodeClaims: find('nodeClaims').nodeClaims,
      pods: [...pods.filter(isBound), ...current.pods.filter((pod) => !isBound(pod))],
      ...(lastPodEventAt && { lastPodEventAt }),
    };
  }

  function arrive(kind: Kind, change: ClusterChange): void {
    const state = stateOf(kind);
    const now = clock.now();
    const arrivesAt = Math.max(...[now + state.lateMs, state.silentUntil, state.cutUntil, state.lastArrivalAt]);
    state.lastArrivalAt = arrivesAt;
    clock.startAfter(arrivesAt - now, () => {
      for (const { hint, afterMs } of toHintsOfChange(change, clock.now(), findClaim))
        parts.hint(hint, clock.now() + afterMs);
    });
  }
  const findClaim = (node: string) => {
    const claim = open.api.nodeClaims.list().find(({ nodeName }) => nodeName === node);
    return claim && toNodeClaimObject(claim);
  };
  open.api.pods.watch((change) => arrive('pods', { kind: 'Pod', ...withoutUndefined(change) }));
  open.api.nodes.watch((change) => arrive('nodes', { kind: 'Node', ...withoutUndefined(change) }));
  open.api.nodeClaims.watch(({ before, after }) =>
    arrive('nodeClaims', {
      kind: 'NodeClaim',
      ...(before && { before: toNodeClaimObject(before) }),
      ...(after && { after: toNodeClaimObject(after) }),
    }),
  );

  return {
    observe,
    observeClaim: (query) => (query.budgets ? listed.observe() : observe()),
    podsOnNodes: async (nodes) => nodes.flatMap((node) => [...open.api.pods.onNode(node).values()]),
  };
}

const createState = (): WatchState => ({
  silentFrom: 0,
  silentUntil: 0,
  cutUntil: 0,
  lateMs: 0,
  shownAt: 0,
  lastArrivalAt: 0,
});

const WATCH = { verb: 'watch', resource: 'the cluster' } as const;

const isBound = ({ nodeName }: Pod): boolean => nodeName !== undefined;

const pickOthers = ({ pools, daemonSets, podDisruptionBudgets, nodeClassReadiness }: ClusterObjects) => ({
  pools,
  daemonSets,
  podDisruptionBudgets,
  ...(nodeClassReadiness && { nodeClassReadiness }),
});

const withoutUndefined = <T>({ before, after }: { before: T | undefined; after: T | undefined }) => ({
  ...(before && { before }),
  ...(after && { after }),
});
