import { shortHash } from '../../model/hash.ts';
import {
  EXPENSIVE_POOL_ANNOTATION,
  FILL_LAST_ANNOTATION,
  type Labels,
  MIN_VALUES_RELAXED_ANNOTATION,
  NODECLASS_LABEL,
  NODEPOOL_HASH_ANNOTATION,
  NODEPOOL_LABEL,
  REQUESTED_DRIVERS_ANNOTATION,
} from '../../model/labels.ts';
import { type NodeClaim, pickPoolSettings } from '../../model/nodes/node-claim.ts';
import type { PlannedClaim } from '../../model/plans.ts';
import type { PodKey } from '../../model/pods/pod.ts';
import { minResources, type Resources } from '../../model/resources.ts';
import { overlaps } from '../data-structures/bitset.ts';
import { addTimes, toVector, vectorToResources } from '../data-structures/resource-vectors.ts';
import { withoutAttachments } from '../input/attach-limits.ts';
import type { Problem } from '../input/problem.ts';
import { findExpensivePools } from '../packing/expensive-pools.ts';
import type { NewNode } from '../packing/new-nodes/new-node.ts';
import { buildClaimRequirements, createCustomLabels } from './claim-requirements.ts';
import { findLaunchOptions, type LaunchOptions } from './launch-options.ts';

/**
 * Converts a new node into a NodeClaim that can be stored; undefined if nothing is offered for it.
 */
export function createPlannedClaim(
  newNode: NewNode,
  pods: readonly PodKey[],
  problem: Problem,
  decision: string,
  name: string,
): PlannedClaim | undefined {
  const launchOptions = findLaunchOptions(newNode, problem);
  const { cheapest, nextBest } = launchOptions;
  if (!cheapest) return undefined;
  const claim = createNodeClaim(newNode, launchOptions, problem, decision, name);
  return { claim, pods, cheapest, ...(nextBest && { nextBest }) };
}

function createNodeClaim(
  newNode: NewNode,
  launchOptions: LaunchOptions,
  problem: Problem,
  decision: string,
  name: string,
): NodeClaim {
  const { pool } = newNode.template;
  const { instanceTypes, overlayAnnotations } = launchOptions;
  return {
    name,
    uid: name,
    pool: pool.name,
    poolUid: pool.uid,
    poolHash: pool.hash,
    nodeClass: pool.nodeClass,
    createdAt: problem.snapshot.takenAt,
    labels: {
      ...createCustomLabels(newNode),
      ...pool.labels,
      [NODEPOOL_LABEL]: pool.name,
      [NODECLASS_LABEL]: pool.nodeClass.name,
    },
    annotations: {
      ...pool.annotations,
      [NODEPOOL_HASH_ANNOTATION]: pool.hash,
      ...createRelaxedAnnotation(newNode),
      ...overlayAnnotations,
      ...createDriversAnnotation(newNode),
      ...(findExpensivePools(problem).has(pool.name) && { [EXPENSIVE_POOL_ANNOTATION]: 'true' }),
      ...(newNode.fillsLast && { [FILL_LAST_ANNOTATION]: 'true' }),
    },
    taints: pool.taints,
    startupTaints: pool.startupTaints,
    requirements: buildClaimRequirements(newNode, launchOptions, problem),
    instanceTypes,
    requests: withoutAttachments(sumRequests(newNode, problem)),
    ...(pool.expireAfterMs !== undefined && { expireAfterMs: pool.expireAfterMs }),
    ...pickPoolSettings(pool),
    ...(pool.terminationGracePeriodMs !== undefined && { terminationGracePeriodMs: pool.terminationGracePeriodMs }),
    decision,
  };
}

const createDriversAnnotation = ({ drivers }: NewNode): Labels =>
  drivers.size > 0 ? { [REQUESTED_DRIVERS_ANNOTATION]: [...drivers].toSorted().join(',') } : {};

/**
 * Tells whether minValues were relaxed by best effort; no annotation if the pool has no minValues.
 */
function createRelaxedAnnotation({ minValues, template }: NewNode): Labels {
  if (template.minValues.length === 0) return {};
  const isRelaxed = minValues.some(({ key, count }) => count < (template.requirements.get(key)?.minValues ?? 0));
  return { [MIN_VALUES_RELAXED_ANNOTATION]: `${isRelaxed}` };
}

/**
 * Sums the requests of the pods and the smallest overhead of DaemonSets on any of the remaining
 * types.
 */
function sumRequests(newNode: NewNode, { columns }: Problem): Resources {
  const overheads = newNode.template.daemons
    .filter(({ types }) => overlaps(types, newNode.types))
    .map(({ overhead }) => vectorToResources(columns, overhead));
  const minOverhead = overheads.length > 0 ? overheads.reduce(minResources) : {};
  const total = newNode.used.slice();
  addTimes(total, toVector(columns, minOverhead), 1);
  return vectorToResources(columns, total);
}

/**
 * Creates the claim names of one decision; the same decision always gets the same names. If the
 * hashes of two claims are equal, the later one is hashed again.
 *
 * @param existing - names that are already used by claims
 */
export function createClaimNamer(
  decision: string,
  existing: Iterable<string>,
): (pool: string, ordinal: number) => string {
  const taken = new Set(existing);
  return (pool, ordinal) => {
    for (let attempt = 0; ; attempt++) {
      const suffix = attempt === 0 ? '' : `/${attempt}`;
      const name = `${pool}-${shortHash(`${decision}/${pool}/${ordinal}${suffix}`)}`;
      if (taken.has(name)) continue;
      taken.add(name);
      return name;
    }
  };
}
