import type { Placement, PlannedClaim } from '../../model/plans.ts';
import { type Pod, podKey } from '../../model/pods/pod.ts';
import {
  addTimes,
  hasRoom,
  listRequestedColumns,
  toVector,
} from '../data-structures/resource-vectors.ts';
import { listFullyRelaxed } from '../pods/relaxations.ts';
import { admits, type ExistingNode } from './existing-nodes.ts';
import type { Problem } from './problem.ts';

/** A batch of which some pods go where an earlier plan wanted them. */
export interface ExpectedPods {
  /** With those pods on their bins. */
  readonly problem: Problem;
  readonly keptPods: readonly Pod[];
  readonly placements: readonly Placement[];
  /** What is left to be planned. */
  readonly remaining: readonly Pod[];
}

/** The claims with how many pods of each owner they are for: their names say little of those to come. */
export function addExpectedCounts(
  claims: readonly PlannedClaim[],
  batch: readonly Pod[],
): readonly PlannedClaim[] {
  const owned = batch.filter(({ owner }) => owner !== undefined);
  if (owned.length === 0) return claims;
  const ownerOf = new Map(owned.map((pod) => [podKey(pod), pod.owner?.uid]));
  return claims.map((planned) => {
    const expects: Record<string, number> = {};
    for (const pod of planned.pods) {
      const owner = ownerOf.get(pod);
      if (owner !== undefined) expects[owner] = (expects[owner] ?? 0) + 1;
    }
    if (Object.keys(expects).length === 0) return planned;
    return { ...planned, claim: { ...planned.claim, expects } };
  });
}

/**
 * Gives pods the claims under way that were launched for them or their equals. A packing is seldom
 * found twice: were all pods that still wait packed anew with each pod that joins them, what is
 * under way would turn out too small each time, and more would be bought.
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
    filledNodes.set(node, withPods(node, pods, problem));
    placements.push({ target: node.name, pods: pods.map(podKey) });
  }
  if (keptPods.size === 0) return keepNoPods(problem, batch);
  const bins = problem.existingNodes.map((node) => filledNodes.get(node) ?? node);
  return {
    problem: { ...problem, existingNodes: bins, runningNodes: bins },
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

/** What else a node must have for a pod is looked at in full, every time. */
const hasOnlyResourceNeeds = ({ owner, spec, nodeName }: Pod): boolean =>
  owner !== undefined &&
  nodeName === undefined &&
  spec.volumeClaims.length === 0 &&
  (spec.ephemeralVolumes ?? []).length === 0 &&
  (spec.deviceClaims ?? []).length === 0 &&
  spec.hostPorts.length === 0 &&
  spec.schedulingGates.length === 0;

/** Takes them out of `waiting`, oldest first, as long as there is room. */
function takeExpected(
  node: ExistingNode,
  waiting: ReadonlyMap<string, Pod[]>,
  { columns }: Problem,
): readonly Pod[] {
  const { claim, pods: present, free } = node;
  const left = free.slice();
  const takenPods: Pod[] = [];
  for (const [owner, expected] of Object.entries(claim?.expects ?? {})) {
    const candidates = waiting.get(owner) ?? [];
    const missing = expected - present.filter((pod) => pod.owner?.uid === owner).length;
    for (let count = 0; count < missing; count++) {
      const [next] = candidates;
      if (!next) break;
      const request = toVector(columns, next.spec.requests);
      if (!isSuitable(next, node) || !hasRoom(left, request, listRequestedColumns(request))) break;
      addTimes(left, request, -1);
      candidates.shift();
      takenPods.push(next);
    }
  }
  return takenPods;
}

/** The template of an owner may have changed. */
const isSuitable = ({ spec }: Pod, node: ExistingNode): boolean =>
  listFullyRelaxed(spec).some((relaxation) => admits(node, relaxation));

function withPods(node: ExistingNode, pods: readonly Pod[], { columns }: Problem): ExistingNode {
  const free = node.free.slice();
  for (const { spec } of pods) addTimes(free, toVector(columns, spec.requests), -1);
  return { ...node, free, pods: [...node.pods, ...pods] };
}
