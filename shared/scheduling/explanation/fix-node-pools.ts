import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Reason } from '../../model/explanations/reasons.ts';
import { CAPACITY_TYPE_LABEL, normaliseLabelKey } from '../../model/labels.ts';
import { findNearestLabel } from '../../model/nearest-label.ts';
import { correctWords } from '../../model/nearest-word.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { ownValue } from '../../model/own-value.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { formatAmount } from '../../model/quantity.ts';
import { formatRequirementSpec, type RequirementSpec } from '../../model/requirements/requirement-specs.ts';
import { toRequirements } from '../../model/requirements/requirements.ts';
import { NODES } from '../../model/resources.ts';
import { resolveVolumesAndDevices } from '../assignment/resolve-volumes-and-devices.ts';
import { isEmptyBitset } from '../data-structures/bitset.ts';
import { at, vectorToResources } from '../data-structures/resource-vectors.ts';
import { type Problem, prepare } from '../input/problem.ts';
import { isOfferingKey } from '../instance-types/offering-scope.ts';
import { findCheapestType } from '../packing/new-nodes/new-node.ts';
import { listRelaxations } from '../pods/relaxations.ts';
import { solve } from '../search/solve.ts';
import { excludeKinds, listMissingKinds } from './added-kinds.ts';
import { listExistingValues } from './fix-pods.ts';
import {
  describeValues,
  type FixProposal,
  type FixProposer,
  findCheapestLabelValue,
  KEPT_LABELS,
  withPool,
} from './fix-proposal.ts';
import { proposeWiderTogether } from './fix-wider-together.ts';
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
  const solution = solve(problem, pods);
  const newNodes = solution.newNodes.filter(({ template }) => template.pool.name === name);
  // Another rule may leave a part of the pods out now. They need as much once it is changed.
  const remaining = [...solution.unplaced.values()].reduce((sum, count) => sum + count, 0);
  const factor = remaining < pods.length ? pods.length / (pods.length - remaining) : 1;
  if (resource === NODES) return Math.ceil(newNodes.length * factor);
  const column = problem.columns.indexOf.get(resource);
  const added = newNodes.reduce((total, newNode) => {
    const capacity = problem.typeIndex.capacity[findCheapestType(newNode, problem).type];
    return total + (capacity && column !== undefined ? at(capacity, column) : 0);
  }, 0);
  return Math.ceil(added * factor);
}

/** Allows the values that the pod or its volumes require in the requirements of the NodePool. */
function proposeWiderValues(
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
 * Allows the value that the pods ask for. If no requirement of the NodePool is about it, or if it names no value
 * (more than 32 CPUs), allows types that have it and that other requirements leave out: `m5.large` is none of the
 * families.
 */
export const proposeRequestedTypes: FixProposer = (pool, reason, pods, problem) => {
  const { key = '' } = reason.fields;
  const proposals = proposeWiderValues(pool, reason, pods, problem);
  const isOfTypes = problem.typeIndex.isDecidedByType(key) || isOfferingKey(key);
  return proposals.length > 0 || !isOfTypes ? proposals : proposeTypes(pool, reason, pods, problem);
};

/** One requirement that allows other types, or several together. */
export const proposeTypes: FixProposer = (...refused) => {
  const proposals = proposeCheapestValues(...refused);
  return proposals.length > 0 ? proposals : proposeWiderTogether(...refused);
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
    const corrected = correctWords(values, existing);
    const isSame = corrected.every((value) => values.includes(value));
    if (isSame) return [];
    const isNeeded = values.some((value) => existing.has(value)) ? {} : ({ isNeeded: true } as const);
    return [{ ...toValuesProposal(pool, index, present, corrected, pods, problem.snapshot), ...isNeeded }];
  });

/** Drops each requirement of the NodePool, one at a time. One that no type meets cannot stay. */
export const proposeDroppedRequirement: FixProposer = (pool, _, pods, { snapshot, typeIndex }) =>
  pool.requirements.map((requirement, index) => ({
    ...(isEmptyBitset(typeIndex.matching(toRequirements([requirement]))) && { isNeeded: true }),
    kind: 'drop-requirement',
    object: `NodePool/${pool.name}`,
    path: `spec.template.spec.requirements[${index}]`,
    key: requirement.key,
    from: `${requirement.key} ${formatRequirementSpec(requirement)}`,
    to: 'nothing',
    snapshot: withPool(snapshot, { ...pool, requirements: pool.requirements.toSpliced(index, 1) }),
    pods,
  }));

/** Shares of the values that one pod leaves: a node for several pods is larger, so that fewer types hold them. */
const MIN_VALUES_SHARES = [1, 0.75, 0.5, 0];

/** Lowers minValues to a number of values that is offered. */
export const proposeLowerMinValues: FixProposer = (pool, { fields }, pods, { snapshot, work }) => {
  const offeredValues = Number(fields.found);
  const index = pool.requirements.findIndex(
    ({ key, minValues }) => minValues !== undefined && normaliseLabelKey(key) === fields.key,
  );
  const present = pool.requirements[index];
  if (!present || !(offeredValues >= 1)) return [];
  const counts = MIN_VALUES_SHARES.map((share) => Math.max(1, Math.floor(offeredValues * share)));
  const proposals = counts.map((minValues) => {
    const requirements = pool.requirements.with(index, { ...present, minValues });
    return { minValues, snapshot: withPool(snapshot, { ...pool, requirements }) };
  });
  const helping = proposals.find((one) => solve(prepare(one.snapshot, work), pods).unplaced.size === 0);
  return [helping ?? proposals[0]].flatMap((proposal) =>
    proposal
      ? [
          {
            kind: 'lower-min-values',
            object: `NodePool/${pool.name}`,
            path: `spec.template.spec.requirements[${index}].minValues`,
            key: present.key,
            from: `${present.minValues}`,
            to: `${proposal.minValues}`,
            snapshot: proposal.snapshot,
            pods,
          },
        ]
      : [],
  );
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
