import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Reason } from '../../model/explanations/reasons.ts';
import {
  INITIALIZED_LABEL,
  NODECLASS_LABEL,
  NODEPOOL_LABEL,
  REGISTERED_LABEL,
  ZONE_LABEL,
} from '../../model/labels.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { ownValue } from '../../model/own-value.ts';
import { isIn } from '../../model/requirements/requirement.ts';
import {
  intersectRequirements,
  NO_REQUIREMENTS,
  type Requirements,
  toLabelRequirements,
  toRequirements,
} from '../../model/requirements/requirements.ts';
import { formatInstant } from '../../model/time.ts';
import { type Bitset, intersection, isEmptyBitset } from '../data-structures/bitset.ts';
import type { ResourceColumns } from '../data-structures/resource-vectors.ts';
import { type DaemonGroup, groupTypesByDaemonSets } from './daemon-overhead.ts';
import type { OfferingIndex, OfferingScope } from './offering-index.ts';
import { isClaimKey, narrowScope } from './offering-scope.ts';
import type { TypeIndex } from './type-index.ts';

/** A NodePool prepared for one decision: the requirements, types and offerings of its nodes. */
export interface NodeClaimTemplate {
  readonly pool: NodePool;
  readonly requirements: Requirements;
  /** The requirements that a claim must carry, because neither types nor offerings decide them. */
  readonly claimRequirements: Requirements;
  readonly types: Bitset;
  readonly where: OfferingScope;
  readonly daemons: readonly DaemonGroup[];
  readonly minValues: readonly MinValues[];
  /** True if the NodePool has any limit. */
  readonly limited: boolean;
}

/** The minimum number of values of a key among the types of a node. */
export interface MinValues {
  readonly key: string;
  readonly count: number;
}

/** A NodePool that no pod can use now, with the reason. */
export interface UnusablePool {
  readonly pool: string;
  readonly reason: Reason;
}

export interface NodeClaimTemplates {
  /** Heaviest first; equal weights by name descending, as Karpenter does. */
  readonly usable: readonly NodeClaimTemplate[];
  readonly unusable: readonly UnusablePool[];
}

/** The inputs of the templates. */
export interface TemplateInputs {
  readonly snapshot: ClusterSnapshot;
  readonly typeIndex: TypeIndex;
  readonly offerings: OfferingIndex;
  readonly columns: ResourceColumns;
}

export function createTemplates(input: TemplateInputs): NodeClaimTemplates {
  const { snapshot, typeIndex } = input;
  const usable: NodeClaimTemplate[] = [];
  const unusable: UnusablePool[] = [];
  for (const pool of snapshot.pools.toSorted(compareByWeight)) {
    const rejection = findPodRejection(pool);
    if (rejection !== undefined) {
      const reason: Reason = {
        code: 'pool-takes-no-pods',
        fields: { pool: pool.name, why: rejection },
      };
      unusable.push({ pool: pool.name, reason });
      continue;
    }
    const template = getTemplate(pool, input);
    const reason = findUnusableReason(template, typeIndex, snapshot);
    if (reason) unusable.push({ pool: pool.name, reason });
    else usable.push(template);
  }
  return { usable, unusable };
}

function findPodRejection({ deleting, replicas }: NodePool): string | undefined {
  if (deleting) return 'it is being deleted';
  return replicas === undefined ? undefined : `it is static, with ${replicas} replicas`;
}

const compareByWeight = (a: NodePool, b: NodePool): number => b.weight - a.weight || (a.name < b.name ? 1 : -1);

// NodePools and DaemonSets stay the same objects for hours, and decisions are made every few
// seconds.
const cachedTemplates = new WeakMap<
  NodePool,
  { readonly inputs: readonly unknown[]; readonly template: NodeClaimTemplate }
>();

export function getTemplate(pool: NodePool, input: TemplateInputs): NodeClaimTemplate {
  const { snapshot, typeIndex, offerings, columns } = input;
  const list = ownValue(snapshot.instanceTypes, pool.name);
  const zones = ownValue(snapshot.zones, pool.name)?.join(' ');
  const inputs = [typeIndex, list, columns, offerings.zones, zones, snapshot.daemonSets];
  const cached = cachedTemplates.get(pool);
  if (cached?.inputs.every((part, position) => part === inputs[position])) return cached.template;
  const template = createTemplate(pool, input);
  cachedTemplates.set(pool, { inputs, template });
  return template;
}

function createTemplate(
  pool: NodePool,
  { snapshot, typeIndex, offerings, columns }: TemplateInputs,
): NodeClaimTemplate {
  // DaemonSets may select registered or initialized nodes; new nodes become both.
  const stateLabels = { [REGISTERED_LABEL]: 'true', [INITIALIZED_LABEL]: 'true' };
  const requirements = intersectRequirements(
    toRequirements(pool.requirements),
    toSubnetRequirements(pool, snapshot),
    toLabelRequirements({
      ...pool.labels,
      [NODEPOOL_LABEL]: pool.name,
      [NODECLASS_LABEL]: pool.nodeClass.name,
      ...stateLabels,
    }),
  );
  const list = ownValue(snapshot.instanceTypes, pool.name) ?? [];
  const types = intersection(typeIndex.ofList(list), typeIndex.matching(requirements));
  const claimRequirements = new Map([...requirements].filter(([key]) => isClaimKey(key, typeIndex)));
  return {
    pool,
    requirements,
    claimRequirements,
    types,
    where: narrowScope(requirements, offerings.everywhere, offerings.zones),
    daemons: groupTypesByDaemonSets(
      snapshot.daemonSets,
      { requirements, taints: pool.taints, types },
      typeIndex,
      columns,
    ),
    minValues: [...requirements].flatMap(([key, { minValues }]) =>
      minValues === undefined ? [] : [{ key, count: minValues }],
    ),
    limited: Object.keys(pool.limits).length > 0,
  };
}

/** Restricts the zones to those in which the NodeClass has subnets. */
function toSubnetRequirements({ name }: NodePool, { zones }: ClusterSnapshot): Requirements {
  const subnetZones = ownValue(zones, name);
  return subnetZones ? new Map([[ZONE_LABEL, isIn(...subnetZones)]]) : NO_REQUIREMENTS;
}

export const createSubnetsFullReason = (pool: NodePool, zones: readonly string[]): Reason => ({
  code: 'subnets-full',
  fields: { pool: pool.name, nodeClass: pool.nodeClass.name, zone: zones.join(', ') },
});

export function findUnusableReason(
  { pool, types, where }: NodeClaimTemplate,
  typeIndex: TypeIndex,
  { fullZones = {} }: Pick<ClusterSnapshot, 'fullZones'>,
): Reason | undefined {
  if (!pool.ready) {
    const { condition = 'Ready', message = 'not reported yet', classWrittenAt } = pool.notReady ?? {};
    const fields = { pool: pool.name, condition, message };
    return {
      code: 'pool-not-ready',
      fields: classWrittenAt === undefined ? fields : { ...fields, classWrittenAt: formatInstant(classWrittenAt) },
    };
  }
  if (isEmptyBitset(types) || where.zones === 0 || where.capacityTypes === 0) {
    const full = ownValue(fullZones, pool.name) ?? [];
    if (full.length > 0) return createSubnetsFullReason(pool, full);
    const fields = { pool: pool.name, total: `${typeIndex.types.length}` };
    return { code: 'pool-has-no-types', fields };
  }
  return undefined;
}
