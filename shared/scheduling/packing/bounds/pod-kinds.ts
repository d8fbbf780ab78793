import type { PodSpec } from '../../../model/pods/pod.ts';
import type { Requirements } from '../../../model/requirements/requirements.ts';
import { untoleratedTaint } from '../../../model/requirements/taints.ts';
import { GIB } from '../../../model/resources.ts';
import { findTypesHolding } from '../../assignment/pod-groups.ts';
import { intersection, isSubset } from '../../data-structures/bitset.ts';
import { at, toVector, type Vector } from '../../data-structures/resource-vectors.ts';
import type { Problem } from '../../input/problem.ts';
import { narrowTemplate } from '../../instance-types/narrowing.ts';
import { listFullyRelaxed, type Relaxation } from '../../pods/relaxations.ts';
import type { ClassTopology } from '../../topology/topology.ts';
import { merged } from '../pricing/eligibility-groups.ts';
import type { Access } from '../pricing/offer-groups.ts';

/** Equal pods that are to be placed, wherever that is. */
export interface Wanted {
  readonly spec: PodSpec;
  readonly pods: number;
  /** Their rules; absent where they are not known, and left out of account. */
  readonly topology?: ClassTopology;
}

/** Pods that ask the same of a node and are of about the same size. */
export interface PodKind {
  readonly specs: readonly PodSpec[];
  /** By column, the least that any of them asks for. */
  readonly least: Vector;
  /** What they must have: every preference is given up. */
  readonly ways: readonly Relaxation[];
  /** The pools that could launch nodes for them. */
  readonly accesses: readonly Access[];
}

/** Specs are many, the things they ask of a node are few: those are looked at once. */
export function podKinds(specs: Iterable<PodSpec>, problem: Problem): PodKind[] {
  const alike = Map.groupBy(specs, (spec) => textOf(listFullyRelaxed(spec)));
  return [...alike.values()].flatMap((members): PodKind[] => {
    const [first] = members;
    if (!first) return [];
    const ways = listFullyRelaxed(first);
    const accesses = merged(ways.flatMap((way) => accessesOf(way, problem)));
    const bySize = Map.groupBy(members, sizeOf);
    return [...bySize.values()].map((some) => kindOf(some, ways, accesses, problem));
  });
}

/** Doublings of what the smallest machines hold, so that large pods do not count on those. */
function sizeOf({ requests: { cpu = 0, memory = 0 } }: PodSpec): number {
  const times = Math.max(cpu / SMALL.cpu, memory / SMALL.memory, 1);
  return Math.ceil(Math.log2(times));
}

const SMALL = { cpu: 1000, memory: 4 * GIB } as const;

function kindOf(
  specs: readonly PodSpec[],
  ways: readonly Relaxation[],
  accesses: readonly Access[],
  problem: Problem,
): PodKind {
  const least = new Float64Array(problem.columns.names.length).fill(Infinity);
  for (const { requests } of specs) {
    const request = toVector(problem.columns, requests);
    for (let column = 0; column < least.length; column++) {
      least[column] = Math.min(at(least, column), at(request, column));
    }
  }
  const roomy = accesses.map((access): Access => {
    const holding = findTypesHolding(access.template.daemons, least, problem);
    const isEach = isSubset(access.allowed, holding);
    return isEach ? access : { ...access, allowed: intersection(access.allowed, holding) };
  });
  return { specs, least, ways, accesses: roomy };
}

const textOf = (ways: readonly Relaxation[]): string =>
  ways
    .map(
      ({ requirements, tolerations }) =>
        `${requirementsText(requirements)} ${tolerationsText(tolerations)}`,
    )
    .join('\n');

const requirementsText = (requirements: Requirements): string =>
  [...requirements]
    .map(([key, { values, ...rest }]) => `${key} ${[...values].join()} ${JSON.stringify(rest)}`)
    .join(';');

const tolerationsText = (tolerations: Relaxation['tolerations']): string =>
  JSON.stringify(tolerations);

function accessesOf(way: Relaxation, { nodeTemplates, typeIndex, offerings }: Problem): Access[] {
  return nodeTemplates.flatMap((template): Access[] => {
    if (untoleratedTaint(template.pool.taints, way.tolerations)) return [];
    const narrowing = narrowTemplate(template, way.requirements, typeIndex, offerings.zones);
    if (narrowing.outcome === 'conflict') return [];
    const { types, where } = narrowing.narrowed;
    return [{ template, allowed: types, where }];
  });
}
