import type { Reason } from '../../model/explanations/reasons.ts';
import { CAPACITY_TYPE_LABEL, NODEPOOL_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import { findNearestLabel } from '../../model/nearest-label.ts';
import { findNearestWord } from '../../model/nearest-word.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { ownValue } from '../../model/own-value.ts';
import { withoutSelector, withRenamedLabel } from '../../model/pods/changed-rules.ts';
import { withCorrectValue } from '../../model/pods/correct-value.ts';
import { findTemplateOwner, type Pod, type PodSpec } from '../../model/pods/pod.ts';
import { findUntoleratedTaint, formatTaint, type Taint } from '../../model/requirements/taints.ts';
import type { Problem } from '../input/problem.ts';
import { CAPACITY_TYPES } from '../instance-types/price-table.ts';
import { listRelaxations } from '../pods/relaxations.ts';
import { type FixProposal, KEPT_LABELS } from './fix-proposal.ts';

/** Replaces an unknown label by the similar well-known label. */
export function proposeLabelRename(
  _: NodePool,
  { fields: { key = '' } }: Reason,
  pods: readonly Pod[],
  { snapshot }: Problem,
): FixProposal[] {
  const intended = findNearestLabel(key);
  const [pod] = pods;
  const renamed = pod && intended !== undefined ? withRenamedLabel(pod.spec, key, intended) : undefined;
  if (!pod || intended === undefined || !renamed) return [];
  return [
    {
      kind: 'rename-label',
      object: findTemplateOwner(pod),
      path: `${pod.owner ? 'spec.template.spec' : 'spec'}.${renamed.path}`,
      from: key,
      to: intended,
      snapshot,
      pods: pods.map((one) => ({ ...one, spec: renamed.spec })),
    },
  ];
}

/** Drops what the pods ask of a label, if no other change helps: an image needs its architecture and system. */
export function proposeDroppedSelector(
  _: NodePool,
  { fields: { key = '' } }: Reason,
  pods: readonly Pod[],
  { snapshot }: Problem,
): FixProposal[] {
  const [pod] = pods;
  if (!pod || KEPT_LABELS.has(key)) return [];
  const { nodeSelector, requiredNodeTerms } = pod.spec;
  const isSelected = ownValue(nodeSelector, key) !== undefined;
  if (!isSelected && !requiredNodeTerms.some((term) => term.some((one) => one.key === key))) return [];
  const spec = withoutSelector(pod.spec, key);
  return [
    {
      kind: 'drop-selector',
      object: findTemplateOwner(pod),
      path: `${pod.owner ? 'spec.template.spec' : 'spec'}.${isSelected ? 'nodeSelector' : 'affinity.nodeAffinity'}`,
      ...{ key, from: key, to: 'nothing' },
      snapshot,
      pods: pods.map((one) => ({ ...one, spec })),
    },
  ];
}

/** Replaces a value that no node can have by the nearest one that some have. */
export function proposeCorrectValue(
  _: NodePool,
  { fields: { key = '' } }: Reason,
  pods: readonly Pod[],
  problem: Problem,
): FixProposal[] {
  const [pod] = pods;
  if (!pod) return [];
  const existing = listExistingValues(key, problem);
  return listWrittenValues(pod.spec, key).flatMap(({ path, value }) => {
    const to = existing.has(value) ? undefined : findNearestWord(value, existing);
    if (to === undefined) return [];
    return [
      {
        kind: 'correct-value',
        object: findTemplateOwner(pod),
        path: `${pod.owner ? 'spec.template.spec' : 'spec'}.${path}`,
        ...{ key, from: value, to },
        snapshot: problem.snapshot,
        pods: pods.map((one) => ({ ...one, spec: withCorrectValue(one.spec, key, value, to) })),
      },
    ];
  });
}

/**
 * Lists the values that the label has on nodes, NodePools, types or offerings.
 *
 * @param except - the name of a NodePool whose own values do not count
 */
export function listExistingValues(
  key: string,
  { snapshot, typeIndex, offerings, existingNodes }: Problem,
  except?: string,
): ReadonlySet<string> {
  if (key === NODEPOOL_LABEL) return new Set(snapshot.pools.map(({ name }) => name));
  if (key === ZONE_LABEL) return new Set(offerings.zones);
  if (key === CAPACITY_TYPE_LABEL) return new Set(CAPACITY_TYPES);
  return new Set([
    ...typeIndex.types.flatMap(({ labels, choices }) => ownValue(choices, key) ?? ownValue(labels, key) ?? []),
    ...existingNodes.flatMap(({ labels }) => ownValue(labels, key) ?? []),
    ...snapshot.pools
      .filter(({ name }) => name !== except)
      .flatMap(({ labels, requirements }) => [
        ...[ownValue(labels, key) ?? []].flat(),
        ...requirements.flatMap((one) => (one.key === key ? (one.values ?? []) : [])),
      ]),
  ]);
}

function listWrittenValues(
  { nodeSelector, requiredNodeTerms }: PodSpec,
  key: string,
): readonly { readonly path: string; readonly value: string }[] {
  const selected = ownValue(nodeSelector, key);
  return [
    ...(selected === undefined ? [] : [{ path: 'nodeSelector', value: selected }]),
    ...requiredNodeTerms.flatMap((term) =>
      term.flatMap((one) =>
        one.key === key && one.operator === 'In'
          ? (one.values ?? []).map((value) => ({ path: 'affinity.nodeAffinity', value }))
          : [],
      ),
    ),
  ];
}

export function proposeToleration(pool: NodePool, _: Reason, pods: readonly Pod[], problem: Problem): FixProposal[] {
  const [pod] = pods;
  if (!pod) return [];
  const taint = findUntoleratedTaint(pool.taints, listRelaxations(pod.spec).at(-1)?.tolerations ?? []);
  if (!taint) return [];
  const spec = { ...pod.spec, tolerations: [...pod.spec.tolerations, toToleration(taint)] };
  return [
    {
      kind: 'add-toleration',
      object: findTemplateOwner(pod),
      path: pod.owner ? 'spec.template.spec.tolerations' : 'spec.tolerations',
      to: formatTaint(taint),
      snapshot: problem.snapshot,
      pods: pods.map((one) => ({ ...one, spec })),
    },
  ];
}

/** Proposes a NodePool without taints, where every one has some: each is reserved for other pods. */
export function proposeUntaintedPool(
  pool: NodePool,
  _: Reason,
  pods: readonly Pod[],
  { snapshot }: Problem,
): FixProposal[] {
  const { pools, instanceTypes, zones } = snapshot;
  const isReserved = pools.length > 1 && pools.every(({ taints }) => taints.length > 0);
  const isFirst = pool.name === pools.toSorted((a, b) => b.weight - a.weight)[0]?.name;
  if (!isReserved || !isFirst) return [];
  const name = `${pool.name}-untainted`;
  const { [pool.name]: ownZones } = zones ?? {};
  return [
    {
      kind: 'add-node-pool',
      object: `NodePool/${name}`,
      path: 'metadata.name',
      from: pool.name,
      to: name,
      snapshot: {
        ...snapshot,
        pools: [...pools, { ...pool, name, uid: name, taints: [] }],
        instanceTypes: { ...instanceTypes, [name]: ownValue(instanceTypes, pool.name) ?? [] },
        ...(ownZones && { zones: { ...zones, [name]: ownZones } }),
      },
      pods,
    },
  ];
}

const toToleration = ({ key, value, effect }: Taint) =>
  value === undefined
    ? ({ key, effect, operator: 'Exists' } as const)
    : ({ key, value, effect, operator: 'Equal' } as const);
