import type { PodSpec } from '../../../model/pods/pod.ts';
import type { Requirements } from '../../../model/requirements/requirements.ts';
import { findUntoleratedTaint } from '../../../model/requirements/taints.ts';
import { GIB } from '../../../model/resources.ts';
import { findTypesHolding } from '../../assignment/pod-groups.ts';
import { intersection, isSubset } from '../../data-structures/bitset.ts';
import { at, toVector, type Vector } from '../../data-structures/resource-vectors.ts';
import type { Problem } from '../../input/problem.ts';
import { narrowTemplate } from '../../instance-types/narrowing.ts';
import { listFullyRelaxed, type Relaxation } from '../../pods/relaxations.ts';
import type { ClassTopology } from '../../topology/topology.ts';
import { mergeAccesses } from '../pricing/eligibility-groups.ts';
import type { PoolAccess } from '../pricing/offer-groups.ts';

/** Equal pods that must be placed. */
export interface EqualPods {
  readonly spec: PodSpec;
  readonly pods: number;
  /** Topology rules of the pods; undefined if they are not known and not considered. */
  readonly topology?: ClassTopology;
}

/** Pods with the same requirements on a node and about the same size. */
export interface PodKind {
  readonly specs: readonly PodSpec[];
  /** The smallest request of the pods, by column. */
  readonly minRequest: Vector;
  /** The relaxations that have given up every preference. */
  readonly relaxations: readonly Relaxation[];
  /** The pools that could launch nodes for the pods. */
  readonly accesses: readonly PoolAccess[];
}

/**
 * Groups pod specs by kind. There are many specs but few different requirements, so these are
 * evaluated once.
 */
export function groupByKind(specs: Iterable<PodSpec>, problem: Problem): PodKind[] {
  const alike = Map.groupBy(specs, (spec) => toText(listFullyRelaxed(spec)));
  return [...alike.values()].flatMap((members): PodKind[] => {
    const [first] = members;
    if (!first) return [];
    const relaxations = listFullyRelaxed(first);
    const accesses = mergeAccesses(relaxations.flatMap((relaxation) => listAccesses(relaxation, problem)));
    const bySize = Map.groupBy(members, computeSizeClass);
    return [...bySize.values()].map((some) => createKind(some, relaxations, accesses, problem));
  });
}

/**
 * The size in powers of two of the smallest nodes, so that small types are not counted for large
 * pods.
 */
function computeSizeClass({ requests: { cpu = 0, memory = 0 } }: PodSpec): number {
  const times = Math.max(cpu / SMALLEST_NODE.cpu, memory / SMALLEST_NODE.memory, 1);
  return Math.ceil(Math.log2(times));
}

const SMALLEST_NODE = { cpu: 1000, memory: 4 * GIB } as const;

function createKind(
  specs: readonly PodSpec[],
  relaxations: readonly Relaxation[],
  accesses: readonly PoolAccess[],
  problem: Problem,
): PodKind {
  const minRequest = new Float64Array(problem.columns.names.length).fill(Infinity);
  for (const { requests } of specs) {
    const request = toVector(problem.columns, requests);
    for (let column = 0; column < minRequest.length; column++) {
      minRequest[column] = Math.min(at(minRequest, column), at(request, column));
    }
  }
  const accessesWithRoom = accesses.map((access): PoolAccess => {
    const holding = findTypesHolding(access.template.daemons, minRequest, problem);
    const doAllHold = isSubset(access.allowed, holding);
    return doAllHold ? access : { ...access, allowed: intersection(access.allowed, holding) };
  });
  return { specs, minRequest, relaxations, accesses: accessesWithRoom };
}

const toText = (relaxations: readonly Relaxation[]): string =>
  relaxations
    .map(({ requirements, tolerations }) => `${requirementsText(requirements)} ${tolerationsText(tolerations)}`)
    .join('\n');

const requirementsText = (requirements: Requirements): string =>
  [...requirements]
    .map(([key, { values, ...rest }]) => `${key} ${[...values].join()} ${JSON.stringify(rest)}`)
    .join(';');

const tolerationsText = (tolerations: Relaxation['tolerations']): string => JSON.stringify(tolerations);

function listAccesses(relaxation: Relaxation, { nodeTemplates, typeIndex, offerings }: Problem): PoolAccess[] {
  return nodeTemplates.flatMap((template): PoolAccess[] => {
    if (findUntoleratedTaint(template.pool.taints, relaxation.tolerations)) return [];
    const narrowing = narrowTemplate(template, relaxation.requirements, typeIndex, offerings.zones);
    if (narrowing.outcome === 'conflict') return [];
    const { types, where } = narrowing.narrowed;
    return [{ template, allowed: types, where }];
  });
}
