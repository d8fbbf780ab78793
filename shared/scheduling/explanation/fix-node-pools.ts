import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Reason } from '../../model/explanations/reasons.ts';
import {
  CAPACITY_TYPE_LABEL,
  normaliseLabelKey,
  similarWellKnownLabel,
  ZONE_LABEL,
} from '../../model/labels.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { formatAmount } from '../../model/quantity.ts';
import {
  formatRequirement,
  type RequirementSpec,
  toRequirement,
} from '../../model/requirements/requirement-specs.ts';
import { NODES } from '../../model/resources.ts';
import { resolveVolumesAndDevices } from '../assignment/resolve-volumes-and-devices.ts';
import { at, toResources } from '../data-structures/resource-vectors.ts';
import { type Problem, prepare } from '../input/problem.ts';
import { cheapestType, type Draft } from '../packing/new-nodes/packing-state.ts';
import { listRelaxations } from '../pods/relaxations.ts';
import { solve } from '../search/solve.ts';
import { type FixProposal, type FixProposer, withPool } from './fix-proposal.ts';

/** To what the pool uses, and what all of the pods would add if nothing limited it. */
export function proposeHigherLimit(
  pool: NodePool,
  { fields }: Reason,
  pods: readonly Pod[],
  problem: Problem,
): FixProposal[] {
  const { resource = '' } = fields;
  const { [resource]: limit, ...others } = pool.limits;
  if (limit === undefined) return [];
  const used = getUsedAmount(pool, resource, problem);
  const added = computeAddedAmount(
    withPool(problem.snapshot, { ...pool, limits: others }),
    pool,
    resource,
    pods,
  );
  const to = used + added;
  return [
    {
      kind: 'raise-limit',
      object: `NodePool/${pool.name}`,
      path: `spec.limits.${resource}`,
      from: formatAmount(resource, limit),
      to: formatAmount(resource, to),
      snapshot: withPool(problem.snapshot, { ...pool, limits: { ...others, [resource]: to } }),
      pods,
    },
  ];
}

function getUsedAmount({ name }: NodePool, resource: string, { usage, columns }: Problem): number {
  const used = usage.get(name);
  if (!used) return 0;
  return resource === NODES ? used.nodes : (toResources(columns, used.capacity)[resource] ?? 0);
}

function computeAddedAmount(
  unlimited: ClusterSnapshot,
  { name }: NodePool,
  resource: string,
  pods: readonly Pod[],
): number {
  const problem = prepare(unlimited);
  const drafts = solve(problem, pods).drafts.filter(({ template }) => template.pool.name === name);
  if (resource === NODES) return drafts.length;
  const column = problem.columns.indexOf.get(resource);
  return drafts.reduce((total, draft) => {
    const capacity = problem.index.capacity[cheapestType(draft, problem).type];
    return total + (capacity && column !== undefined ? at(capacity, column) : 0);
  }, 0);
}

/** Adds to an In of the pool what the pod asks for, be it for its volumes' sake. */
export function proposeWiderValues(
  pool: NodePool,
  { fields }: Reason,
  pods: readonly Pod[],
  { snapshot, attachLimits }: Problem,
): FixProposal[] {
  const resolvedPods = resolveVolumesAndDevices(pods.slice(0, 1), snapshot, attachLimits);
  const requestedValues = listRequestedValues(resolvedPods, fields.key ?? '');
  const index = pool.requirements.findIndex(
    ({ key, operator }) => operator === 'In' && normaliseLabelKey(key) === fields.key,
  );
  return proposeValues(pool, index, requestedValues, pods, snapshot);
}

function listRequestedValues([pod]: readonly Pod[], key: string): readonly string[] {
  if (!pod) return [];
  for (const { requirements } of listRelaxations(pod.spec)) {
    const requirement = requirements.get(key);
    if (requirement && !requirement.complement) return [...requirement.values];
  }
  return [];
}

/** Adds to each In of the pool, one at a time, what the pods would take if it were not there. */
export const proposeCheapestValues: FixProposer = (pool, _, pods, { snapshot }) =>
  pool.requirements.flatMap(({ key, operator }, index) => {
    if (operator !== 'In') return [];
    const withoutRequirement = { ...pool, requirements: pool.requirements.toSpliced(index, 1) };
    const problem = prepare(withPool(snapshot, withoutRequirement));
    const { drafts } = solve(problem, pods);
    const poolDrafts = drafts.filter(({ template }) => template.pool.name === pool.name);
    const values = poolDrafts.flatMap((draft) =>
      findCheapestLabelValue(draft, normaliseLabelKey(key), problem),
    );
    return proposeValues(pool, index, values, pods, snapshot);
  });

/** What the cheapest node of the draft has for the label. */
function findCheapestLabelValue(draft: Draft, key: string, problem: Problem): string[] {
  const { index, offerings } = problem;
  const { type } = cheapestType(draft, problem);
  const offering = offerings.cheapest(type, draft.where);
  if (key === ZONE_LABEL) return offering ? [offering.zone] : [];
  if (key === CAPACITY_TYPE_LABEL) return offering ? [offering.capacityType] : [];
  const value = index.types[type]?.labels[key];
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
  const presentValues = present?.values ?? [];
  const values = [...new Set([...presentValues, ...requestedValues])];
  if (!present || values.length === presentValues.length) return [];
  const requirements: RequirementSpec[] = pool.requirements.with(index, { ...present, values });
  return [
    {
      kind: 'allow-values',
      object: `NodePool/${pool.name}`,
      path: `spec.template.spec.requirements[${index}].values`,
      from: `[${presentValues.join(', ')}]`,
      to: `[${values.join(', ')}]`,
      snapshot: withPool(snapshot, { ...pool, requirements }),
      pods,
    },
  ];
}

/** Leaves out each requirement of the pool, one at a time: one of them leaves no type. */
export const proposeDroppedRequirement: FixProposer = (pool, _, pods, { snapshot }) =>
  pool.requirements.map((requirement, index) => ({
    kind: 'drop-requirement',
    object: `NodePool/${pool.name}`,
    path: `spec.template.spec.requirements[${index}]`,
    from: `${requirement.key} ${formatRequirement(toRequirement(requirement))}`,
    to: 'nothing',
    snapshot: withPool(snapshot, { ...pool, requirements: pool.requirements.toSpliced(index, 1) }),
    pods,
  }));

/** To as many values as there are. */
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
      from: `${present.minValues}`,
      to: `${offeredValues}`,
      snapshot: withPool(snapshot, { ...pool, requirements }),
      pods,
    },
  ];
};

/** Gives the nodes of the pool the label of the user's own that the pods select by. */
export const proposeNodeLabel: FixProposer = (
  pool,
  { fields: { key = '' } },
  pods,
  { snapshot },
) => {
  const [value] = listRequestedValues(pods, key);
  if (value === undefined || !isUserLabel(key)) return [];
  return [
    {
      kind: 'add-label',
      object: `NodePool/${pool.name}`,
      path: 'spec.template.metadata.labels',
      to: `${key}=${value}`,
      snapshot: withPool(snapshot, { ...pool, labels: { ...pool.labels, [key]: value } }),
      pods,
    },
  ];
};

/** Of nobody's domain: what Kubernetes, EC2 or a cloud provider would have to say is not told so. */
const isUserLabel = (key: string): boolean =>
  similarWellKnownLabel(key) === undefined &&
  !/^([\w.-]+\.)?(kubernetes\.io|k8s\.io|k8s\.aws|karpenter\.sh)\//.test(key);
