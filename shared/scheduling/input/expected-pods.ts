import { ownValue } from '../../model/own-value.ts';
import type { Placement, PlannedClaim } from '../../model/plans.ts';
import { type Pod, podKey } from '../../model/pods/pod.ts';
import { addTimes, hasRoom, listRequestedColumns, toVector } from '../data-structures/resource-vectors.ts';
import { findExcess } from '../pods/pod-complexity.ts';
import { listFullyRelaxed } from '../pods/relaxations.ts';
import { admits, type ExistingNode, withPods } from './existing-nodes.ts';
import type { Problem } from './problem.ts';

/** A batch of which some pods keep the claims that an earlier plan launched for them. */
export interface ExpectedPods {
  /** The problem with those pods on their claims. */
  readonly problem: Problem;
  readonly keptPods: readonly Pod[];
  readonly placements: readonly Placement[];
  /** Pods that must still be planned. */
  readonly remaining: readonly Pod[];
}

/**
 * Records on each claim how many pods of each owner it is for. Pod names would not tell:
 * replacements get new names.
 */
export function addExpectedCounts(claims: readonly PlannedClaim[], batch: readonly Pod[]): readonly PlannedClaim[] {
  const owned = batch.filter(({ owner }) => owner !== undefined);
  if (owned.length === 0) return claims;
  const ownerOf = new Map(owned.map((pod) => [podKey(pod), pod.owner?.uid]));
  return claims.map((planned) => {
    const expects: Record<string, number> = {};
    for (const pod of planned.pods) {
      const owner = ownerOf.get(pod);
      if (owner !== undefined) expects[owner] = (ownValue(expects, owner) ?? 0) + 1;
    }
    if (Object.keys(expects).length === 0) return planned;
    return { ...planned, claim: { ...planned.claim, expects } };
  });
}

/**
 * Gives waiting pods the claims that were launched for them or for equal pods. A packing is rarely
 * found twice: if all waiting pods were packed anew whenever a pod joins, the claims under way
 * would turn out too small each time, and more nodes would be launched.
 */
export function keepExpectedPods(problem: Problem, batch: readonly Pod[]): ExpectedPods {
  const incomingNodes = problem.existingNodes.filter(
    ({ claim, initialized, leaving }) => claim?.expects && !initialized && !leaving,
  );
  if (incomingNodes.length === 0) return keepNoPods(problem, batch);

  const waiting = Map.groupBy(batch.filter(hasOnlyResourceNeeds), ({ owner }) => owner?.uid ?? '');
  const filledNodes = new Map<ExistingNode, ExistingNode>();
  const placements: Placement[] = [];
  const keptPods = new Set<Pod>();
  for (const node of incomingNodes) {
    const pods = takeExpected(node, waiting, problem);
    if (pods.length === 0) continue;
    for (const pod of pods) keptPods.add(pod);
    filledNodes.set(node, withPods(node, pods, problem.columns));
    placements.push({ target: node.name, pods: pods.map(podKey) });
  }
  if (keptPods.size === 0) return keepNoPods(problem, batch);
  const nodes = problem.existingNodes.map((node) => filledNodes.get(node) ?? node);
  return {
    problem: { ...problem, existingNodes: nodes, runningNodes: nodes },
    keptPods: [...keptPods],
    placements,
    remaining: batch.filter((pod) => !keptPods.has(pod)),
  };
}

export const keepNoPods = (problem: Problem, batch: readonly Pod[]): ExpectedPods => ({
  problem,
  keptPods: [],
  placements: [],
  remaining: batch,
});

/** Pods with volumes, devices, host ports or gates are always planned in full. */
const hasOnlyResourceNeeds = ({ owner, spec, nodeName }: Pod): boolean =>
  owner !== undefined &&
  nodeName === undefined &&
  spec.volumeClaims.length === 0 &&
  (spec.ephemeralVolumes ?? []).length === 0 &&
  (spec.deviceClaims ?? []).length === 0 &&
  spec.hostPorts.length === 0 &&
  spec.schedulingGates.length === 0;

/** Takes expected pods out of `waiting`, oldest first, while there is room. */
function takeExpected(node: ExistingNode, waiting: ReadonlyMap<string, Pod[]>, { columns }: Problem): readonly Pod[] {
  const { claim, pods: present, free } = node;
  const remainingRoom = free.slice();
  const takenPods: Pod[] = [];
  for (const [owner, expected] of Object.entries(claim?.expects ?? {})) {
    const candidates = waiting.get(owner) ?? [];
    const missing = expected - present.filter((pod) => pod.owner?.uid === owner).length;
    for (let count = 0; count < missing; count++) {
      const [next] = candidates;
      if (!next) break;
      const request = toVector(columns, next.spec.requests);
      if (!isSuitable(next, node) || !hasRoom(remainingRoom, request, listRequestedColumns(request))) break;
      addTimes(remainingRoom, request, -1);
      candidates.shift();
      takenPods.push(next);
    }
  }
  return takenPods;
}

/** The pod template of the owner may have changed since the claim was planned. */
const isSuitable = ({ spec }: Pod, node: ExistingNode): boolean =>
  !findExcess(spec) && listFullyRelaxed(spec).some((relaxation) => admits(node, relaxation));
