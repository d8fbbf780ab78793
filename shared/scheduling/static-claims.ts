import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { formatReason } from '../model/explanations/reasons.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { NodePool } from '../model/nodes/node-pool.ts';
import type { PlannedClaim, ProvisioningPlan } from '../model/plans.ts';
import { NODES } from '../model/resources.ts';
import { DEFAULT_SETTINGS } from '../model/settings.ts';
import { createClaimNamer, createPlannedClaim } from './claims/planned-claims.ts';
import { createBitset, hasBit, listBits, without } from './data-structures/bitset.ts';
import type { Problem } from './input/problem.ts';
import { hasFreeUnits, listReservationIds, takeUnits } from './input/reservations.ts';
import { findUnusableReason, getTemplate, type NodeClaimTemplate } from './instance-types/node-claim-templates.ts';
import { dropBareMetal } from './instance-types/type-index.ts';
import { createNewNode, type NewNode, replaceTypes } from './packing/new-nodes/new-node.ts';

/** A NodePool with `spec.replicas`, which keeps this number of nodes independently of pods. */
export interface StaticPool extends NodePool {
  readonly replicas: number;
}

/** Lists the static pools that are not being deleted; none if the feature gate is off. */
export const listStaticPools = ({
  pools,
  settings = DEFAULT_SETTINGS,
}: Pick<ClusterSnapshot, 'pools' | 'settings'>): readonly StaticPool[] =>
  settings.gates.StaticCapacity ? pools.filter(isStatic).filter(({ deleting }) => !deleting) : [];

const isStatic = (pool: NodePool): pool is StaticPool => pool.replicas !== undefined;

/**
 * Counts the nodes that a static pool lacks, within its limit on nodes. A node under replacement
 * and its replacement are both counted: the pool may be one node too large for a while, never too
 * small.
 */
function countMissingNodes({ name, replicas, limits }: StaticPool, claims: readonly NodeClaim[]) {
  const own = claims.filter(({ pool }) => pool === name);
  const staying = own.filter(({ deletingAt }) => deletingAt === undefined).length;
  const allowed = (limits[NODES] ?? Infinity) - own.length;
  return Math.max(0, Math.min(replicas - staying, allowed));
}

/** True if a plan is due although no pod waits. */
export const areStaticNodesMissing = (snapshot: ClusterSnapshot): boolean =>
  listStaticPools(snapshot).some((pool) => pool.ready && countMissingNodes(pool, snapshot.claims) > 0);

/**
 * Adds the missing nodes of static pools to the plan. These claims have the pool's requirements and
 * no pods.
 */
export function withStaticClaims(plan: ProvisioningPlan, problem: Problem, decision: string): ProvisioningPlan {
  const { snapshot } = problem;
  const lacking = listStaticPools(snapshot).flatMap((pool) => {
    const count = countMissingNodes(pool, snapshot.claims);
    const template = count > 0 ? findUsableTemplate(pool, problem) : undefined;
    return template ? [{ template, count }] : [];
  });
  if (lacking.length === 0) return plan;
  const nextName = createClaimNamer(decision, listClaimNames(snapshot, plan));
  const free = countFreeReservations(problem, plan);
  const claims: PlannedClaim[] = [];
  for (const { template, count } of lacking) {
    for (let ordinal = 0; ordinal < count; ordinal++) {
      const newNode = createStaticNode(template, problem, free);
      const name = nextName(template.pool.name, plan.claims.length + ordinal);
      const planned = createPlannedClaim(newNode, [], problem, decision, name);
      if (planned) claims.push(planned);
    }
  }
  const hourlyUsd = claims.reduce((total, { cheapest }) => total + cheapest.hourlyUsd, 0);
  return {
    ...plan,
    claims: [...plan.claims, ...claims],
    hourlyUsd: plan.hourlyUsd + hourlyUsd,
  };
}

/**
 * Plans one replacement node of a static pool, or returns why the pool can launch none.
 *
 * @param decision - id of the disruption command that the claim belongs to
 */
export type StaticReplacer = (
  pool: StaticPool,
  decision: string,
) => { readonly replacement: PlannedClaim } | { readonly why: string };

/** Creates the planner of replacement nodes for static pools. */
export function createStaticReplacer(problem: Problem): StaticReplacer {
  const names = new Set(problem.snapshot.claims.map(({ name }) => name));
  const free = new Map(problem.reservations?.free);
  return (pool, decision) => {
    const template = getTemplate(pool, problem);
    const unusable = findUnusableReason(template, problem.typeIndex, problem.snapshot);
    if (unusable) return { why: formatReason(unusable) };
    const name = createClaimNamer(decision, names)(pool.name, 0);
    names.add(name);
    const newNode = createStaticNode(template, problem, free);
    const replacement = createPlannedClaim(newNode, [], problem, decision, name);
    return replacement ? { replacement } : { why: 'EC2 offers none of its types now' };
  };
}

const listClaimNames = ({ claims }: ClusterSnapshot, plan: ProvisioningPlan): readonly string[] => [
  ...claims.map(({ name }) => name),
  ...plan.claims.map(({ claim }) => claim.name),
];

function findUsableTemplate(pool: NodePool, problem: Problem): NodeClaimTemplate | undefined {
  const template = getTemplate(pool, problem);
  return findUnusableReason(template, problem.typeIndex, problem.snapshot) ? undefined : template;
}

/** Counts the instances of each reservation that the plan has not taken. */
function countFreeReservations({ reservations }: Problem, { claims }: ProvisioningPlan): Map<string, number> {
  const free = new Map(reservations?.free);
  for (const { claim } of claims) {
    const [id] = listReservationIds(claim);
    const remaining = id === undefined ? undefined : free.get(id);
    if (id !== undefined && remaining !== undefined) free.set(id, remaining - 1);
  }
  return free;
}

/**
 * Prefers reserved capacity, which is paid for already; each node takes one instance of a
 * reservation.
 */
function createStaticNode(template: NodeClaimTemplate, problem: Problem, free: Map<string, number>): NewNode {
  const { where, claimRequirements } = template;
  const types = dropBareMetal(template.types, problem.typeIndex);
  const newNode = createNewNode({ template, types, where, custom: claimRequirements }, problem);
  const { reservations, offerings } = problem;
  if (!reservations) return newNode;
  const offered = offerings.offered(where);
  const reserved = listBits(types).find(
    (type) => hasBit(reservations.types, type) && hasBit(offered, type) && hasFreeUnits(reservations, free, type),
  );
  if (reserved === undefined) {
    replaceTypes(newNode, without(types, reservations.types));
    return newNode;
  }
  takeUnits(reservations, free, reserved);
  replaceTypes(newNode, createBitset([reserved], problem.typeIndex.types.length));
  return newNode;
}
