import { WELL_KNOWN_LABELS } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { HostPort, PodSpec } from '../../model/pods/pod.ts';
import type { DaemonSet } from '../../model/pods/workload.ts';
import { findConflict, type Requirements } from '../../model/requirements/requirements.ts';
import { findUntoleratedTaint, type Taint, type Toleration } from '../../model/requirements/taints.ts';
import {
  addBit,
  type Bitset,
  createEmptyBitset,
  forEachBit,
  hasBit,
  overlaps,
  union,
} from '../data-structures/bitset.ts';
import { addTimes, type ResourceColumns, toVector, type Vector } from '../data-structures/resource-vectors.ts';
import { listRequiredNodeTerms } from '../pods/relaxations.ts';
import type { TypeIndex } from './type-index.ts';

/** Instance types with the same DaemonSet pods, and what these pods use. */
export interface DaemonGroup {
  readonly types: Bitset;
  readonly overhead: Vector;
  readonly hostPorts: readonly HostPort[];
}

/** A PreferNoSchedule taint does not keep a DaemonSet away. */
const TOLERATE_PREFER_NO_SCHEDULE: Toleration = { operator: 'Exists', effect: 'PreferNoSchedule' };

const toleratesNoScheduleTaints = (spec: PodSpec, taints: readonly Taint[]): boolean =>
  findUntoleratedTaint(taints, [...spec.tolerations, TOLERATE_PREFER_NO_SCHEDULE]) === undefined;

/** True if pods of the DaemonSet, or one pod, may run on a node with exactly these taints and labels. */
export const runsOnNode = (
  { spec }: { readonly spec: PodSpec },
  labels: Requirements,
  taints: readonly Taint[],
): boolean =>
  toleratesNoScheduleTaints(spec, taints) &&
  listRequiredNodeTerms(spec).some((term) => findConflict(labels, term) === undefined);

/** The same for a new node that has these taints and may get any labels that `open` allows. */
export const mayRunOnNewNode = (
  { spec }: { readonly spec: PodSpec },
  open: Requirements,
  taints: readonly Taint[],
): boolean =>
  toleratesNoScheduleTaints(spec, taints) &&
  listRequiredNodeTerms(spec).some((term) => findConflict(open, term, WELL_KNOWN_LABELS) === undefined);

/**
 * Splits the types of a template by the set of DaemonSets that will run on them.
 *
 * @see Karpenter: a DaemonSet counts if it tolerates the taints (without startup taints) and one of
 *   its required terms is compatible with the template and type
 */
export function groupTypesByDaemonSets(
  daemonSets: readonly DaemonSet[],
  template: {
    readonly requirements: Requirements;
    readonly taints: readonly Taint[];
    readonly types: Bitset;
  },
  index: TypeIndex,
  columns: ResourceColumns,
): DaemonGroup[] {
  const candidates = daemonSets
    .filter(({ template: { spec } }) => toleratesNoScheduleTaints(spec, template.taints))
    .map(({ template: { spec } }) => ({
      spec,
      types: findTypesRunning(spec, template.requirements, index),
    }))
    .filter(({ types }) => overlaps(types, template.types));

  const groups = new Map<string, { types: Bitset; specs: PodSpec[] }>();
  forEachBit(template.types, (type) => {
    const running = candidates.filter(({ types }) => hasBit(types, type));
    const key = running.map((one) => candidates.indexOf(one)).join();
    const group = getOrCreate(groups, key, () => ({
      types: createEmptyBitset(index.types.length),
      specs: running.map(({ spec }) => spec),
    }));
    addBit(group.types, type);
  });
  return [...groups.values()].map(({ types, specs }) => {
    const overhead = new Float64Array(columns.names.length);
    for (const { requests } of specs) addTimes(overhead, toVector(columns, requests), 1);
    return { types, overhead, hostPorts: specs.flatMap(({ hostPorts }) => hostPorts) };
  });
}

function findTypesRunning(spec: PodSpec, template: Requirements, index: TypeIndex): Bitset {
  let types = index.none;
  for (const term of listRequiredNodeTerms(spec)) {
    if (findConflict(template, term, WELL_KNOWN_LABELS) === undefined) {
      types = union(types, index.matching(term));
    }
  }
  return types;
}
