import { ZONE_LABEL } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { DisruptionPlan } from '../../model/plans.ts';
import { isSameTaint, SURPLUS_TAINT } from '../../model/requirements/taints.ts';
import { MINUTE_MS } from '../../model/time.ts';
import type { Problem } from '../../scheduling/input/problem.ts';
import { measureRoom } from '../../scheduling/removal/node-usage-and-price.ts';
import { createPoolRoom } from '../../scheduling/removal/pool-room.ts';
import { byClaimName, type Candidate, type DisruptionInput, toCandidate } from '../candidates.ts';
import { findDoNotDisrupt, findNomination } from '../obstacles.ts';
import { keepDeletionCosts, rankDeletionCosts } from './pod-deletion-costs.ts';

/** A node that has just become ready is still being filled. */
const MIN_AGE_MS = 10 * MINUTE_MS;
/** At most this share of a NodePool's nodes, so that new pods have a choice of nodes. */
const MAX_SHARE = 0.3;
/** Pods of surplus nodes may need this share of the room on the others: they leave gaps there. */
const ROOM_SHARE = 0.9;
/** A node stays surplus until it is used by this much more than another one. */
const HYSTERESIS = 0.4;

/**
 * Finds the nodes of each NodePool that new pods should avoid, and the order in which pods of ReplicaSets should
 * end. Then nodes become empty without evictions.
 *
 * - Surplus nodes are those that the pool could do without: the least used ones whose pods have room on its other
 *   nodes. This is a preference, so sums of free room suffice: whether each pod fits is decided when a node
 *   is removed. Pods that must not be evicted count as others; waiting for them is all that is left.
 * - Deletion costs rank all nodes by their waste: demand that falls takes more than what is surplus now.
 *
 * A pool that is launching nodes keeps both as they are.
 */
export function planSurplus(input: DisruptionInput): Pick<DisruptionPlan, 'surplus' | 'podDeletionCosts'> {
  const { problem, openLaunches } = input;
  const policy = problem.snapshot.settings?.surplusNodes ?? 'Ignore';
  if (policy === 'Ignore') return {};
  const byPool = new Map<string, Candidate[]>();
  for (const existingNode of problem.existingNodes) {
    const candidate = toCandidate(existingNode, input);
    if (candidate) getOrCreate(byPool, candidate.pool.name, () => []).push(candidate);
  }
  const launching = new Set(openLaunches.map(({ claim }) => claim.pool));
  const surplus = [...byPool]
    .flatMap(([pool, nodes]) => (launching.has(pool) ? nodes.filter(isSurplus) : chooseSurplus(nodes, problem)))
    .map(({ claim }) => claim.name)
    .toSorted();
  if (policy === 'Taint') return { surplus };
  const costs = [...byPool].flatMap(([pool, nodes]) =>
    [...(launching.has(pool) ? keepDeletionCosts(nodes) : chooseDeletionCosts(nodes, problem))].map(
      ([{ claim }, cost]) => [claim.name, cost] as const,
    ),
  );
  return { surplus, podDeletionCosts: Object.fromEntries<number>(costs) };
}

const chooseDeletionCosts = (nodes: readonly Candidate[], problem: Problem): ReadonlyMap<Candidate, number> =>
  rankDeletionCosts(
    nodes.filter((node) => mayBeSurplus(node, problem)),
    computeWaste(nodes, problem),
  );

const isSurplus = ({ existingNode: { node } }: Candidate): boolean =>
  node?.taints.some((taint) => isSameTaint(taint, SURPLUS_TAINT)) === true;

/** Chooses the least used nodes while their pods have room on the other nodes of the pool. */
function chooseSurplus(nodes: readonly Candidate[], problem: Problem): readonly Candidate[] {
  const room = createPoolRoom(
    nodes.map(({ existingNode }) => existingNode),
    ROOM_SHARE,
    problem,
  );
  const keptByZone = new Map<string, number>();
  for (const node of nodes) countZone(keptByZone, node, 1);
  const possible = nodes.filter((node) => mayBeSurplus(node, problem));
  const surplus: Candidate[] = [];
  for (const node of possible.toSorted(byUse)) {
    if (surplus.length + 1 > nodes.length * MAX_SHARE) break;
    if ((keptByZone.get(zoneOf(node)) ?? 0) <= 1) continue;
    // Each change of a taint is sent to all that watch Nodes: a node stays until others are used less.
    if (!room.takeAway(node.existingNode) && !isSurplus(node)) break;
    surplus.push(node);
    countZone(keptByZone, node, -1);
  }
  return surplus;
}

function mayBeSurplus({ existingNode, claim, pool }: Candidate, problem: Problem): boolean {
  const { takenAt } = problem.snapshot;
  return (
    pool.replicas === undefined &&
    pool.disruption.consolidateAfterMs !== 'Never' &&
    takenAt - (claim.initializedAt ?? takenAt) >= MIN_AGE_MS &&
    !findNomination(existingNode, claim, problem) &&
    !findDoNotDisrupt(existingNode, claim)
  );
}

const byUse = (a: Candidate, b: Candidate): number => computeRank(a) - computeRank(b) || byClaimName(a, b);

const computeRank = (node: Candidate): number => node.usedShare - (isSurplus(node) ? HYSTERESIS : 0);

const zoneOf = ({ existingNode: { labels } }: Candidate): string => labels[ZONE_LABEL] ?? '';

function countZone(counts: Map<string, number>, node: Candidate, by: number): void {
  counts.set(zoneOf(node), (counts.get(zoneOf(node)) ?? 0) + by);
}

/**
 * Computes for the nodes of a NodePool, in USD per hour, what each of them costs more than the room that
 * its pods use is worth, divided by what has to leave: the pods and the node itself. Room is worth what
 * the pool pays for it on average. Unused nodes have a high waste, and so have small and expensive types; the
 * waste counts most where few pods have to end until the node is empty.
 */
function computeWaste(nodes: readonly Candidate[], problem: Problem): ReadonlyMap<Candidate, number> {
  const rooms = new Map(nodes.map((node) => [node, measureRoom(node.existingNode, problem)]));
  const priceUsd = nodes.reduce((sum, { hourlyUsd }) => sum + hourlyUsd, 0);
  const room = [...rooms.values()].reduce((sum, { all }) => sum + all, 0);
  const usdPerRoom = room > 0 ? priceUsd / room : 0;
  return new Map(
    [...rooms].map(([node, { used }]) => [node, (node.hourlyUsd - usdPerRoom * used) / node.disruptionCost]),
  );
}
