import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Reason } from '../../model/explanations/reasons.ts';
import { ARCH_LABEL, CAPACITY_TYPE_LABEL, normaliseLabelKey, OS_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import { findNearestLabel } from '../../model/nearest-label.ts';
import { findNearestWord } from '../../model/nearest-word.ts';
import { NODE_CLASS_NOT_FOUND } from '../../model/nodes/node-class.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { ownValue } from '../../model/own-value.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { formatAmount } from '../../model/quantity.ts';
import { formatRequirementSpec, type RequirementSpec } from '../../model/requirements/requirement-specs.ts';
import { NODES } from '../../model/resources.ts';
import { resolveVolumesAndDevices } from '../assignment/resolve-volumes-and-devices.ts';
import { at, vectorToResources } from '../data-structures/resource-vectors.ts';
import { type Problem, prepare } from '../input/problem.ts';
import { findCheapestType, type NewNode } from '../packing/new-nodes/new-node.ts';
import { listRelaxations } from '../pods/relaxations.ts';
import { solve } from '../search/solve.ts';
import { excludeKinds, listMissingKinds } from './added-kinds.ts';
import { listExistingValues } from './fix-pods.ts';
import { describeValues, type FixProposal, type FixProposer, withPool } from './fix-proposal.ts';
import { isWidenable, widenRequirement } from './widen-requirement.ts';

/** Proposes a limit of the current usage plus what all of the pods would add without it, and several such limits. */
export function proposeHigherLimit(
  pool: NodePool,
  { fields }: Reason,
  pods: readonly Pod[],
  problem: Problem,
): FixProposal[] {
  const { resource = '' } = fields;
  const several = Object.keys(pool.limits);
  return [
    ...proposeLimits(pool, [resource], pods, problem),
    ...(several.length > 1 ? proposeLimits(pool, several, pods, problem) : []),
  ];
}

/** Raises those of the limits that are too low, together. */
function proposeLimits(
  pool: NodePool,
  resources: readonly string[],
  pods: readonly Pod[],
  problem: Problem,
): FixProposal[] {
  const limits = { ...pool.limits };
  for (const resource of resources) delete limits[resource];
  const unlimited = withPool(problem.snapshot, { ...pool, limits });
  const raised = resources.flatMap((resource) => {
    const from = pool.limits[resource];
    if (from === undefined) return [];
    const to = getUsedAmount(pool, resource, problem) + computeAddedAmount(unlimited, pool, resource, pods, problem);
    return to > from ? [{ resource, from, to }] : [];
  });
  const [first, second] = raised;
  if (!first) return [];
  const format = (side: 'from' | 'to'): string =>
    raised.map((one) => `${one.resource}=${formatAmount(one.resource, one[side])}`).join(', ');
  const change = second
    ? { path: 'spec.limits', from: format('from'), to: format('to') }
    : {
        path: `spec.limits.${first.resource}`,
        from: formatAmount(first.resource, first.from),
        to: formatAmount(first.resource, first.to),
      };
  const higher = Object.fromEntries(raised.map(({ resource, to }) => [resource, to]));
  return [
    {
      kind: 'raise-limit',
      object: `NodePool/${pool.name}`,
      ...change,
      snapshot: withPool(problem.snapshot, { ...pool, limits: { ...pool.limits, ...higher } }),
      pods,
    },
  ];
}

function getUsedAmount({ name }: NodePool, resource: string, { poolUsage, columns }: Problem): number {
  const used = poolUsage.get(name);
  if (!used) return 0;
  return resource === NODES ? used.nodes : (ownValue(vectorToResources(columns, used.capacity), resource) ?? 0);
}

function computeAddedAmount(
  unlimited: ClusterSnapshot,
  { name }: NodePool,
  resource: string,
  pods: readonly Pod[],
  { work }: Problem,
): number {
  const problem = prepare(unlimited, work);
  const newNodes = solve(problem, pods).newNodes.filter(({ template }) => template.pool.name === name);
  if (resource === NODES) return newNodes.length;
  const column = problem.columns.indexOf.get(resource);
  return newNodes.reduce((total, newNode) => {
    const capacity = problem.typeIndex.capacity[findCheapestType(newNode, problem).type];
    return total + (capacity && column !== undefined ? at(capacity, column) : 0);
  }, 0);
}

/** Allows the values that the pod or its volumes require in the requirements of the NodePool. */
export function proposeWiderValues(
  pool: NodePool,
  { fields }: Reason,
  pods: readonly Pod[],
  { snapshot, attachLimits }: Problem,
): FixProposal[] {
  const resolvedPods = resolveVolumesAndDevices(pods.slice(0, 1), snapshot, attachLimits);
  const requestedValues = listRequestedValues(resolvedPods, fields.key ?? '');
  return pool.requirements.flatMap(({ key }, index) =>
    normaliseLabelKey(key) === fields.key ? proposeValues(pool, index, requestedValues, pods, snapshot) : [],
  );
}

function listRequestedValues([pod]: readonly Pod[], key: string): readonly string[] {
  if (!pod) return [];
  for (const { requirements } of listRelaxations(pod.spec)) {
    const requirement = requirements.get(key);
    if (requirement && !requirement.complement) return [...requirement.values];
  }
  return [];
}

/** Images run on one architecture, so that no other one is proposed for want of capacity. */
const KEPT_LABELS: ReadonlySet<string> = new Set([ARCH_LABEL, OS_LABEL]);

/**
 * Allows in each requirement, one at a time, the values that the pods would get without the
 * requirement. Spot is not proposed: its interruptions are a choice of its own.
 */
export const proposeCheapestValues: FixProposer = (pool, _, pods, before) => {
  const kept = excludeKinds(listMissingKinds(pool, pods, before));
  const proposals = proposeValuesWith(kept, pool, pods, before);
  // Types of another kind are better than none: the fix then names the kind.
  return proposals.length > 0 || kept.length === 0 ? proposals : proposeValuesWith([], pool, pods, before);
};

/**
 * Allows types that have the value which the pods ask for, where another requirement of the NodePool leaves them
 * out: `m5.large` is none of the families.
 */
export const proposeTypesOfValue: FixProposer = (pool, reason, pods, problem) => {
  const key = reason.fields.key ?? '';
  const isOther = pool.requirements.every((one) => normaliseLabelKey(one.key) !== key);
  return isOther && problem.typeIndex.isDecidedByType(key) ? proposeCheapestValues(pool, reason, pods, problem) : [];
};

const proposeValuesWith = (
  kept: readonly RequirementSpec[],
  pool: NodePool,
  pods: readonly Pod[],
  { snapshot, work }: Problem,
): FixProposal[] =>
  pool.requirements.flatMap((requirement, index) => {
    const { key } = requirement;
    if (!isWidenable(requirement) || KEPT_LABELS.has(normaliseLabelKey(key))) return [];
    const requirements = [...pool.requirements.toSpliced(index, 1), ...kept];
    const problem = prepare(withPool(snapshot, { ...pool, requirements }), work);
    const { newNodes } = solve(problem, pods);
    const poolNodes = newNodes.filter(({ template }) => template.pool.name === pool.name);
    const values = poolNodes.flatMap((newNode) =>
      findCheapestLabelValue(newNode, normaliseLabelKey(key), problem).filter(
        (value) => normaliseLabelKey(key) !== CAPACITY_TYPE_LABEL || value !== 'spot',
      ),
    );
    return proposeValues(pool, index, values, pods, snapshot);
  });

/** Finds the label value of the cheapest node. */
function findCheapestLabelValue(newNode: NewNode, key: string, problem: Problem): string[] {
  const { typeIndex, offerings } = problem;
  const { type } = findCheapestType(newNode, problem);
  const offering = offerings.cheapest(type, newNode.where);
  if (key === ZONE_LABEL) return offering ? [offering.zone] : [];
  if (key === CAPACITY_TYPE_LABEL) return offering ? [offering.capacityType] : [];
  const value = ownValue(typeIndex.types[type]?.labels, key);
  return value === undefined ? [] : [value];
}

function proposeValues(
  pool: NodePool,
  index: number,
  requestedValues: readonly string[],
  pods: readonly Pod[],
  snapshot: ClusterSnapshot,
): FixProposal[] {
  const present = pool.requirements[index];
  const values = present && widenRequirement(present, requestedValues);
  return present && values ? [toValuesProposal(pool, index, present, values, pods, snapshot)] : [];
}

const toValuesProposal = (
  pool: NodePool,
  index: number,
  present: RequirementSpec,
  values: readonly string[],
  pods: readonly Pod[],
  snapshot: ClusterSnapshot,
): FixProposal => ({
  ...describeValues(pool, index, present, values),
  snapshot: withPool(snapshot, {
    ...pool,
    requirements: pool.requirements.with(index, { ...present, values }),
  }),
  pods,
});

/** Replaces misspelt values of a requirement that leaves the NodePool no types. */
export const proposeCorrectRequirement: FixProposer = (pool, _, pods, problem) =>
  pool.requirements.flatMap((present, index) => {
    const { key, operator, values = [] } = present;
    if (operator !== 'In') return [];
    const existing = listExistingValues(normaliseLabelKey(key), problem, pool.name);
    const corrected = values.map((value) =>
      existing.has(value) ? value : (findNearestWord(value, existing) ?? value),
    );
    const isSame = corrected.every((value) => values.includes(value));
    return isSame ? [] : [toValuesProposal(pool, index, present, corrected, pods, problem.snapshot)];
  });

/** Drops each requirement of the NodePool, one at a time. */
export const proposeDroppedRequirement: FixProposer = (pool, _, pods, { snapshot }) =>
  pool.requirements.map((requirement, index) => ({
    kind: 'drop-requirement',
    object: `NodePool/${pool.name}`,
    path: `spec.template.spec.requirements[${index}]`,
    from: `${requirement.key} ${formatRequirementSpec(requirement)}`,
    to: 'nothing',
    snapshot: withPool(snapshot, { ...pool, requirements: pool.requirements.toSpliced(index, 1) }),
    pods,
  }));

/** Lowers minValues to the number of values that are offered. */
export const proposeLowerMinValues: FixProposer = (pool, { fields }, pods, { snapshot }) => {
  const offeredValues = Number(fields.found);
  const index = pool.requirements.findIndex(
    ({ key, minValues }) => minValues !== undefined && normaliseLabelKey(key) === fields.key,
  );
  const present = pool.requirements[index];
  if (!present || !(offeredValues >= 1)) return [];
  const requirements = pool.requirements.with(index, { ...present, minValues: offeredValues });
  return [
    {
      kind: 'lower-min-values',
      object: `NodePool/${pool.name}`,
      path: `spec.template.spec.requirements[${index}].minValues`,
      key: present.key,
      from: `${present.minValues}`,
      to: `${offeredValues}`,
      snapshot: withPool(snapshot, { ...pool, requirements }),
      pods,
    },
  ];
};

/** By the reason of a condition: the field of the EC2NodeClass that selects nothing. */
const CLASS_FIELDS: Readonly<Record<string, readonly [field: string, what: string]>> = {
  SubnetsNotFound: ['subnetSelectorTerms', 'a subnet'],
  SecurityGroupsNotFound: ['securityGroupSelectorTerms', 'a security group'],
  AMINotFound: ['amiSelectorTerms', 'an image'],
};

/** Proposes to correct the EC2NodeClass, or to create it: as if it selected subnets in all zones. */
export const proposeClassCorrection: FixProposer = (pool, { fields }, pods, { snapshot }) => {
  const { condition = '', message = '' } = fields;
  const [field, what] = ownValue(CLASS_FIELDS, condition) ?? [];
  if (field === undefined && condition !== NODE_CLASS_NOT_FOUND) return [];
  const { notReady: _, ...rest } = pool;
  const { [pool.name]: __, ...zones } = snapshot.zones ?? {};
  return [
    {
      kind: 'correct-class',
      object: `EC2NodeClass/${pool.nodeClass.name}`,
      path: field === undefined ? 'metadata.name' : `spec.${field}`,
      ...(field !== undefined && { from: message }),
      to: what ?? pool.nodeClass.name,
      snapshot: { ...withPool(snapshot, { ...rest, ready: true }), zones },
      pods,
    },
  ];
};

/** Adds the user-defined label that the pods select by to the NodePool's node labels. */
export const proposeNodeLabel: FixProposer = (pool, { fields: { key = '' } }, pods, { snapshot }) => {
  const [value] = listRequestedValues(pods, key);
  if (value === undefined || !isUserLabel(key)) return [];
  const replacedNodes = snapshot.claims.filter((one) => one.pool === pool.name).length;
  return [
    {
      ...(replacedNodes > 0 && { replacedNodes }),
      kind: 'add-label',
      object: `NodePool/${pool.name}`,
      path: 'spec.template.metadata.labels',
      to: `${key}=${value}`,
      snapshot: withPool(snapshot, { ...pool, labels: { ...pool.labels, [key]: value } }),
      pods,
    },
  ];
};

/**
 * True for labels that a user may define. Labels of Kubernetes, EC2 and Karpenter domains are set
 * by those.
 */
const isUserLabel = (key: string): boolean =>
  findNearestLabel(key) === undefined && !/^([\w.-]+\.)?(kubernetes\.io|k8s\.io|k8s\.aws|karpenter\.sh)\//.test(key);
