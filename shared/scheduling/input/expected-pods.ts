import type { Placement, PlannedClaim } from '../../model/plans.ts';
import { type Pod, podKey } from '../../model/pods/pod.ts';
import { addTimes, askedColumns, hasRoom, toVector } from '../data-structures/resource-vectors.ts';
import { listFullyRelaxed } from '../pods/relaxations.ts';
import { admits, type ExistingNode } from './existing-nodes.ts';
import type { Problem } from './problem.ts';

/** A batch of which some pods go where an earlier plan wanted them. */
export interface ExpectedPods {
  /** With those pods on their bins. */
  readonly problem: Problem;
  readonly kept: readonly Pod[];
  readonly placements: readonly Placement[];
  /** What is left to be planned. */
  readonly rest: readonly Pod[];
}

/** The claims with how many pods of each owner they are for: their names say little of those to come. */
export function withExpectations(
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
export function withExpected(problem: Problem, batch: readonly Pod[]): ExpectedPods {
  const coming = problem.existingNodes.filter(
    ({ claim, initialized, leaving }) => claim?.expects && !initialized && !leaving,
  );
  if (coming.length === 0) return withoutExpected(problem, batch);

  const waiting = Map.groupBy(batch.filter(isPlain), ({ owner }) => owner?.uid ?? '');
  const filled = new Map<ExistingNode, ExistingNode>();
  const placements: Placement[] = [];
  const kept = new Set<Pod>();
  for (const bin of coming) {
    const pods = takeExpected(bin, waiting, problem);
    if (pods.length === 0) continue;
    for (const pod of pods) kept.add(pod);
    filled.set(bin, withPods(bin, pods, problem));
    placements.push({ target: bin.name, pods: pods.map(podKey) });
  }
  if (kept.size === 0) return withoutExpected(problem, batch);
  const bins = problem.existingNodes.map((bin) => filled.get(bin) ?? bin);
  return {
    problem: { ...problem, existingNodes: bins, runningNodes: bins },
    kept: [...kept],
    placements,
    rest: batch.filter((pod) => !kept.has(pod)),
  };
}

export const withoutExpected = (problem: Problem, batch: readonly Pod[]): ExpectedPods => ({
  problem,
  kept: [],
  placements: [],
  rest: batch,
});

/** What else a node must have for a pod is looked at in full, every time. */
const isPlain = ({ owner, spec, nodeName }: Pod): boolean =>
  owner !== undefined &&
  nodeName === undefined &&
  spec.volumeClaims.length === 0 &&
  (spec.ephemeralVolumes ?? []).length === 0 &&
  (spec.deviceClaims ?? []).length === 0 &&
  spec.hostPorts.length === 0 &&
  spec.schedulingGates.length === 0;

/** Takes them out of `waiting`, oldest first, as long as there is room. */
function takeExpected(
  bin: ExistingNode,
  waiting: ReadonlyMap<string, Pod[]>,
  { columns }: Problem,
): readonly Pod[] {
  const { claim, pods: there, free } = bin;
  const left = free.slice();
  const taken: Pod[] = [];
  for (const [owner, expected] of Object.entries(claim?.expects ?? {})) {
    const equals = waiting.get(owner) ?? [];
    const missing = expected - there.filter((pod) => pod.owner?.uid === owner).length;
    for (let count = 0; count < missing; count++) {
      const [next] = equals;
      if (!next) break;
      const request = toVector(columns, next.spec.requests);
      if (!suits(next, bin) || !hasRoom(left, request, askedColumns(request))) break;
      addTimes(left, request, -1);
      equals.shift();
      taken.push(next);
    }
  }
  return taken;
}

/** The template of an owner may have changed. */
const suits = ({ spec }: Pod, bin: ExistingNode): boolean =>
  listFullyRelaxed(spec).some((way) => admits(bin, way));

function withPods(bin: ExistingNode, pods: readonly Pod[], { columns }: Problem): ExistingNode {
  const free = bin.free.slice();
  for (const { spec } of pods) addTimes(free, toVector(columns, spec.requests), -1);
  return { ...bin, free, pods: [...bin.pods, ...pods] };
}
