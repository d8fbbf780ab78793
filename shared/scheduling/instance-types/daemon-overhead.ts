import { WELL_KNOWN_LABELS } from '../../model/labels.ts';
import type { HostPort, PodSpec } from '../../model/pod.ts';
import { findConflict, type Requirements } from '../../model/requirements.ts';
import { type Taint, type Toleration, untoleratedTaint } from '../../model/taints.ts';
import type { DaemonSet } from '../../model/workload.ts';
import {
  addBit,
  type Bitset,
  emptyBitset,
  forEachBit,
  hasBit,
  overlaps,
  union,
} from '../data-structures/bitset.ts';
import type { TypeIndex } from './type-index.ts';
import { addTimes, type ResourceColumns, toVector, type Vector } from '../data-structures/resource-vectors.ts';
import { requiredOfNode } from '../pods/relaxations.ts';

/** Types that get the same DaemonSet pods, and what those take. */
export interface DaemonGroup {
  readonly types: Bitset;
  readonly overhead: Vector;
  readonly hostPorts: readonly HostPort[];
}

/** PreferNoSchedule does not keep a DaemonSet away. */
const ANY_PREFERENCE: Toleration = { operator: 'Exists', effect: 'PreferNoSchedule' };

const toleratesAll = (spec: PodSpec, taints: readonly Taint[]): boolean =>
  untoleratedTaint(taints, [...spec.tolerations, ANY_PREFERENCE]) === undefined;

/** Whether the DaemonSet will run on a node with these taints and these, and only these, labels. */
export const runsOnNode = (
  { template }: DaemonSet,
  labels: Requirements,
  taints: readonly Taint[],
): boolean =>
  toleratesAll(template.spec, taints) &&
  requiredOfNode(template.spec).some((term) => findConflict(labels, term) === undefined);

/** The same of a node that is still to be launched, and may be anything that `open` allows. */
export const mayRunOn = (
  { template }: DaemonSet,
  open: Requirements,
  taints: readonly Taint[],
): boolean =>
  toleratesAll(template.spec, taints) &&
  requiredOfNode(template.spec).some(
    (term) => findConflict(open, term, WELL_KNOWN_LABELS) === undefined,
  );

/**
 * Splits a template's types by the exact set of DaemonSets that will run on them.
 *
 * @see Karpenter: a DaemonSet counts if it tolerates the taints (startup taints aside) and one of
 *   its required terms suits template and type
 */
export function daemonGroups(
  daemonSets: readonly DaemonSet[],
  template: {
    readonly requirements: Requirements;
    readonly taints: readonly Taint[];
    readonly types: Bitset;
  },
  index: TypeIndex,
  columns: ResourceColumns,
): DaemonGroup[] {
  const counting = daemonSets
    .filter(({ template: { spec } }) => toleratesAll(spec, template.taints))
    .map(({ template: { spec } }) => ({
      spec,
      types: typesRunning(spec, template.requirements, index),
    }))
    .filter(({ types }) => overlaps(types, template.types));

  const groups = new Map<string, { types: Bitset; specs: PodSpec[] }>();
  forEachBit(template.types, (type) => {
    const running = counting.filter(({ types }) => hasBit(types, type));
    const key = running.map((one) => counting.indexOf(one)).join();
    const group = groups.get(key) ?? {
      types: emptyBitset(index.types.length),
      specs: running.map(({ spec }) => spec),
    };
    groups.set(key, group);
    addBit(group.types, type);
  });
  return [...groups.values()].map(({ types, specs }) => {
    const overhead = new Float64Array(columns.names.length);
    for (const { requests } of specs) addTimes(overhead, toVector(columns, requests), 1);
    return { types, overhead, hostPorts: specs.flatMap(({ hostPorts }) => hostPorts) };
  });
}

function typesRunning(spec: PodSpec, template: Requirements, index: TypeIndex): Bitset {
  let types = index.none;
  for (const term of requiredOfNode(spec)) {
    if (findConflict(template, term, WELL_KNOWN_LABELS) === undefined) {
      types = union(types, index.matching(term));
    }
  }
  return types;
}
