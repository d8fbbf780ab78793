import type { HostPort } from '../../model/pods/pod.ts';
import type { Requirements } from '../../model/requirements/requirements.ts';
import { findTypesHolding } from '../assignment/pod-groups.ts';
import { type Bitset, intersection, isEmptyBitset } from '../data-structures/bitset.ts';
import { addTimes, sum, type Vector } from '../data-structures/resource-vectors.ts';
import {
  chargeNode,
  createAllowances,
  findMaxCapacities,
  listTypesWithinAllowance,
  type PoolAllowance,
} from '../input/pool-limits.ts';
import type { Problem } from '../input/problem.ts';
import { findUnmetMinValues, resolveMinValues } from '../instance-types/min-values.ts';
import type { MinValues, NodeClaimTemplate } from '../instance-types/node-claim-templates.ts';
import { inZone, narrowScope } from '../instance-types/offering-scope.ts';
import { findCheapestType } from '../packing/new-nodes/new-node.ts';
import { findPortConflict } from '../topology/host-rules.ts';
import type { DomainCounts, TopologyHost } from './domain-counts.ts';
import { sortAsGo } from './go-sort.ts';
import type { PodRequirements } from './pod-requirements.ts';
import type { RequirementCache } from './requirement-cache.ts';

/** The state that all parts of one run share. */
export interface KarpenterState {
  readonly problem: Problem;
  readonly counts: DomainCounts;
  readonly cache: RequirementCache;
}

/**
 * An in-flight NodeClaim. It keeps every type, zone and capacity type that none of its pods rules
 * out.
 */
export interface InFlightClaim extends TopologyHost {
  readonly template: NodeClaimTemplate;
  requirements: Requirements;
  types: Bitset;
  minValues: readonly MinValues[];
  readonly used: Vector;
  readonly hostPorts: HostPort[];
  pods: number;
  /** Pods that the claim cannot take. A claim only ever narrows, so that a rejection is final. */
  readonly rejected: Set<PodRequirements>;
}

const createEmptyClaim = (
  template: NodeClaimTemplate,
  types: Bitset,
  name: string,
  { columns, snapshot }: Problem,
): InFlightClaim => ({
  name,
  taints: template.pool.taints,
  template,
  requirements: template.requirements,
  types,
  // With `BestEffort`, `open` sets them to what the first pod leaves.
  minValues: snapshot.settings?.minValuesPolicy === 'BestEffort' ? [] : template.minValues,
  used: new Float64Array(columns.names.length),
  hostPorts: [],
  pods: 0,
  rejected: new Set(),
});

/** The requirements and types of a claim after one more pod. */
type NarrowedClaim = Pick<InFlightClaim, 'requirements' | 'types'>;

/** The sets of types of both are intersected. */
const OPERATIONS_PER_CLAIM = 50;

/** Narrows the claim by one more pod; undefined if the claim cannot take the pod. */
function narrowByPod(claim: InFlightClaim, pod: PodRequirements, run: KarpenterState): NarrowedClaim | undefined {
  if (claim.rejected.has(pod)) return undefined;
  run.problem.work.spend(OPERATIONS_PER_CLAIM + 5 * pod.rules.owned.length + claim.hostPorts.length);
  const narrowedAlone = narrowByOwnRequirements(claim, pod, run);
  if (narrowedAlone) return narrowByOtherPods(claim, pod, narrowedAlone, run);
  claim.rejected.add(pod);
  return undefined;
}

/** Narrows the claim by everything except topology rules. */
function narrowByOwnRequirements(
  claim: InFlightClaim,
  pod: PodRequirements,
  { problem, cache }: KarpenterState,
): NarrowedClaim | undefined {
  const { template, types, used, hostPorts } = claim;
  const { spec } = pod.cls;
  if (!pod.templates.includes(template) || findPortConflict(spec.hostPorts, hostPorts)) return undefined;
  const requirements = cache.intersect(claim.requirements, pod.relaxation.requirements);
  if (!requirements) return undefined;
  const holding = findTypesHolding(template.daemons, sum(used, pod.request), problem, spec);
  return narrowTypes(claim, requirements, intersection(types, holding), { problem, cache });
}

function narrowByOtherPods(
  claim: InFlightClaim,
  pod: PodRequirements,
  narrowedAlone: NarrowedClaim,
  run: KarpenterState,
): NarrowedClaim | undefined {
  const { counts, cache } = run;
  const domains = counts.findAllowedDomains(pod, {
    ...claim,
    requirements: narrowedAlone.requirements,
  });
  let requirements = domains && narrowedAlone.requirements;
  for (const [key, values] of domains ?? []) {
    requirements = requirements && cache.intersect(requirements, cache.oneOf(key, values));
  }
  if (requirements === narrowedAlone.requirements) return narrowedAlone;
  return requirements && narrowTypes(claim, requirements, narrowedAlone.types, run);
}

function narrowTypes(
  { template, minValues }: InFlightClaim,
  requirements: Requirements,
  candidates: Bitset,
  { problem, cache }: Pick<KarpenterState, 'problem' | 'cache'>,
): NarrowedClaim | undefined {
  const types = intersection(candidates, cache.findOfferings(requirements, template).types);
  if (isEmptyBitset(types)) return undefined;
  return findUnmetMinValues(template, types, problem, minValues) ? undefined : { requirements, types };
}

function addPod(
  claim: InFlightClaim,
  pod: PodRequirements,
  narrowedClaim: NarrowedClaim,
  { counts }: KarpenterState,
): void {
  claim.requirements = narrowedClaim.requirements;
  claim.types = narrowedClaim.types;
  addTimes(claim.used, pod.request, 1);
  claim.hostPorts.push(...pod.cls.spec.hostPorts);
  claim.pods += 1;
  counts.record(pod, claim);
}

/** Computes the price of the claim's cheapest offering, in USD per hour. */
function computeClaimPriceUsd(
  { requirements, template, types }: InFlightClaim,
  { problem, cache }: KarpenterState,
): number {
  const { where } = cache.findOfferings(requirements, template);
  return findCheapestType({ types, where }, problem).hourlyUsd;
}

/** Finds the zone of the claim's cheapest offering. */
export function findCheapestZone(
  { requirements, template, types }: InFlightClaim,
  problem: Problem,
): string | undefined {
  const { zones } = problem.offerings;
  const where = narrowScope(requirements, template.where, zones);
  const usd = zones.map((_, bit) => {
    const here = inZone(where, bit);
    return findCheapestType({ types, where: here }, problem).hourlyUsd;
  });
  return zones[usd.indexOf(Math.min(...usd))];
}

/** The NodeClaims that Karpenter would create. */
interface InFlightClaims {
  /** Places the pod on the claim with the fewest pods that takes it. */
  placePod(pod: PodRequirements): InFlightClaim | undefined;
  /** Opens a claim for the pod, from the template of the highest weight that can hold it. */
  open(pod: PodRequirements): InFlightClaim | undefined;
  /** Sum over all claims, each at its cheapest offering. */
  hourlyUsd(): number;
}

export function createInFlightClaims(run: KarpenterState): InFlightClaims {
  const { problem } = run;
  const claims: InFlightClaim[] = [];
  const allowances = createAllowances(problem);

  function openFromTemplate(template: NodeClaimTemplate, pod: PodRequirements): InFlightClaim | undefined {
    const allowance = allowances.get(template.pool.name);
    if (allowance && allowance.nodes < 1) return undefined;
    const types = allowance ? listTypesWithinAllowance(template.types, allowance, undefined, problem) : template.types;
    const claim = createEmptyClaim(template, types, `claim ${claims.length}`, problem);
    const narrowedClaim = narrowByPod(claim, pod, run);
    if (!narrowedClaim) return undefined;
    claim.minValues = resolveMinValues(template, narrowedClaim.types, problem) ?? [];
    addPod(claim, pod, narrowedClaim, run);
    claims.push(claim);
    if (allowance) chargeLimits(allowance, claim.types, problem);
    return claim;
  }

  return {
    placePod(pod) {
      // Sorts in place, as Karpenter does: claims with equally many pods keep their order from the
      // last call.
      problem.work.spend(claims.length);
      sortAsGo(claims, ({ pods }) => pods);
      for (const claim of claims) {
        const narrowedClaim = narrowByPod(claim, pod, run);
        if (!narrowedClaim) continue;
        addPod(claim, pod, narrowedClaim, run);
        return claim;
      }
      return undefined;
    },
    open(pod) {
      for (const template of pod.templates) {
        const claim = openFromTemplate(template, pod);
        if (claim) return claim;
      }
      return undefined;
    },
    hourlyUsd: () => claims.reduce((total, claim) => total + computeClaimPriceUsd(claim, run), 0),
  };
}

/**
 * Charges the claim to the limits as the largest of its types. Karpenter does not correct the
 * charge later.
 */
function chargeLimits(allowance: PoolAllowance, types: Bitset, problem: Problem): void {
  chargeNode(allowance, findMaxCapacities(types, problem));
}
