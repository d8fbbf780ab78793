import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { INSTANCE_TYPE_LABEL, type Labels, ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import { ownValue } from '../../../shared/model/own-value.ts';
import type { PlannedClaim, ProvisioningPlan } from '../../../shared/model/plans.ts';
import { matchesLabels, toRequirements } from '../../../shared/model/requirements/requirements.ts';
import { addResources } from '../../../shared/model/resources.ts';
import { listShortages } from '../../support/resources.ts';
import type { FinalNode } from './final-nodes.ts';
import { listAvailableOfferings, type NodeVariant } from './node-variants.ts';

const MAX_TYPES = 600;

/** An instance that a commitment pays for costs nothing more. */
const isLowest = (hourlyUsd: number, usd: readonly number[], { settings }: ClusterSnapshot) =>
  Math.abs(hourlyUsd - Math.min(...usd)) < 1e-9 ||
  ((settings?.commitments ?? []).length > 0 && hourlyUsd > 0 && hourlyUsd < Math.max(...usd) / 1e5);

/** Finds what is wrong with a new claim, regardless of its pods. */
export function findClaimViolations(snapshot: ClusterSnapshot, node: FinalNode): string[] {
  const { planned, variants, name } = node;
  if (!planned) return [];
  const { claim } = planned;
  const pool = snapshot.pools.find((one) => one.name === claim.pool);
  if (!pool) return [`${name} is of ${claim.pool}, which is no pool`];
  const usd = variants.map(({ offering }) => offering?.hourlyUsd ?? 0);
  return [
    [pool.ready && !pool.deleting, `${pool.name} is not to be used`],
    [variants.length > 0, 'nothing can be launched for it'],
    [isForPods(planned) === (pool.replicas === undefined), 'nobody is to have a place there'],
    [claim.instanceTypes.length <= MAX_TYPES, `it lists ${claim.instanceTypes.length} types`],
    [claim.poolHash === pool.hash, 'its hash is of another pool'],
    [isSame(claim.taints, pool.taints), 'its taints are not those of the pool'],
    [isSame(claim.startupTaints, pool.startupTaints), 'its startup taints are not those of the pool'],
    [hasLabels(claim.labels, pool.labels), 'labels of the pool are missing'],
    [areOfPool(pool, variants), 'the pool forbids one of its shapes'],
    [isLowest(planned.cheapest.hourlyUsd, usd, snapshot), 'its price is not the lowest'],
    [isCheapestFirst(snapshot, planned), 'its types are not in the order of their prices'],
    [isRequested(node), 'its requests are less than its pods need'],
    ...countMinValues(snapshot, pool, planned),
  ].flatMap(([holds, objection]) => (holds === true ? [] : [`${name}: ${String(objection)}`]));
}

/**
 * True if existing, anticipated or buffer pods need the claim; claims of static NodePools have
 * none.
 */
const isForPods = ({ pods, anticipated = [], headroom = [] }: PlannedClaim): boolean =>
  pods.length + anticipated.length + headroom.length > 0;

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const hasLabels = (labels: Labels, expected: Labels): boolean =>
  Object.entries(expected).every(([key, value]) => ownValue(labels, key) === value);

function areOfPool({ requirements }: NodePool, variants: readonly NodeVariant[]): boolean {
  const expected = toRequirements(requirements);
  return variants.every(({ labels }) => matchesLabels(expected, labels));
}

function isCheapestFirst(snapshot: ClusterSnapshot, { claim }: PlannedClaim): boolean {
  const where = toRequirements(claim.requirements.filter(({ key }) => key !== INSTANCE_TYPE_LABEL));
  const prices = claim.instanceTypes.map((type) =>
    Math.min(
      ...listAvailableOfferings(snapshot, type)
        .filter(({ zone, capacityType }) =>
          [...where].every(
            ([key, requirement]) =>
              (key !== ZONE_LABEL && key !== 'karpenter.sh/capacity-type') ||
              matchesLabels(new Map([[key, requirement]]), {
                [ZONE_LABEL]: zone,
                'karpenter.sh/capacity-type': capacityType,
              }),
          ),
        )
        .map(({ hourlyUsd }) => hourlyUsd),
    ),
  );
  return prices.every((usd, index) => index === 0 || usd >= (prices[index - 1] ?? 0));
}

function isRequested({ planned, arriving }: FinalNode): boolean {
  const pods = addResources(...arriving.map(({ spec }) => spec.requests));
  return planned === undefined || listShortages(pods, planned.claim.requests).length === 0;
}

const RELAXED = 'karpenter.sh/nodeclaim-min-values-relaxed';

/** Counts the distinct values of each minValues key among the claim's types. */
function countMinValues(
  snapshot: ClusterSnapshot,
  pool: NodePool,
  { claim }: PlannedClaim,
): (readonly [boolean, string])[] {
  const types = (ownValue(snapshot.instanceTypes, pool.name) ?? []).filter(({ name }) =>
    claim.instanceTypes.includes(name),
  );
  const isRelaxed = claim.annotations[RELAXED] === 'true';
  const mayRelax = snapshot.settings?.minValuesPolicy === 'BestEffort';
  if (isRelaxed && !mayRelax) return [[false, 'minValues are relaxed, though they are strict']];
  return pool.requirements.flatMap(({ key, minValues: countMinValues }) => {
    if (countMinValues === undefined) return [];
    const written = claim.requirements.find((one) => one.key === key)?.minValues;
    const expected = isRelaxed ? (written ?? 0) : countMinValues;
    const values = types.flatMap(({ name, labels, choices }) =>
      key === ZONE_LABEL
        ? listAvailableOfferings(snapshot, name).map(({ zone }) => zone)
        : (ownValue(choices, key) ?? ownValue(labels, key) ?? []),
    );
    const result = new Set(values).size;
    return [[result >= expected, `${result} values of ${key}, minValues ${expected}`] as const];
  });
}

/** Finds wrong totals of the plan. */
export function findTotalViolations({ claims, hourlyUsd }: ProvisioningPlan): string[] {
  const sum = claims.reduce((total, { cheapest }) => total + cheapest.hourlyUsd, 0);
  const names = claims.map(({ claim }) => claim.name);
  return [
    ...(Math.abs(sum - hourlyUsd) < 1e-6 ? [] : [`${hourlyUsd} is not the sum of prices, ${sum}`]),
    ...(new Set(names).size === names.length ? [] : ['two claims have one name']),
  ];
}
