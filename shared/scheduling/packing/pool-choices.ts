import { getOrCreate, memoize } from '../../model/memo.ts';
import type { PodSpec } from '../../model/pods/pod.ts';
import { findUntoleratedTaint } from '../../model/requirements/taints.ts';
import { createSetNumbers, intersection, type SetNumbers } from '../data-structures/bitset.ts';
import { at, hasRoom, listRequestedColumns, sum, toVector, type Vector } from '../data-structures/resource-vectors.ts';
import { withTypesHavingDevices } from '../devices/device-room.ts';
import { memoizePerSnapshot, type Problem } from '../input/problem.ts';
import type { DaemonGroup } from '../instance-types/daemon-overhead.ts';
import { narrowTemplate, type Opening } from '../instance-types/narrowing.ts';
import type { NodeClaimTemplate } from '../instance-types/node-claim-templates.ts';
import { findExcess } from '../pods/pod-complexity.ts';
import { listRelaxations } from '../pods/relaxations.ts';
import { findPortConflict } from '../topology/host-rules.ts';
import { listUndominatedTypes, type PricedType } from './pool-prices.ts';

/**
 * Pools of the greatest weight that offer the same types at the same prices to a pod. Clusters with
 * hundreds of NodePools have few such choices, and thousands of pods share them.
 */
export interface PoolChoice {
  /** In the order of the templates. */
  readonly pools: readonly string[];
  /** A node may be launched for any of these. */
  readonly offers: readonly (readonly TypesBesideDaemons[])[];
}

/** Types on which the same DaemonSet pods run, without those that are never the cheapest. */
interface TypesBesideDaemons {
  readonly daemons: DaemonGroup;
  readonly types: readonly PricedType[];
}

/** Pods with equal constraints on nodes share their choices; their requests may differ. */
const cachedChoices = memoizePerSnapshot(() => new WeakMap<Problem['offerings'], Map<string, readonly PoolChoice[]>>());

/** Lists the choices between pools of the greatest weight that a pod has, whatever it requests. */
export function listPoolChoices(spec: PodSpec, problem: Problem): readonly PoolChoice[] {
  if (findExcess(spec) || spec.resolved?.refusal) return [];
  const constraints = describeConstraints(spec);
  problem.work.spend(1 + constraints.length / CHARACTERS_PER_OPERATION);
  const byConstraints = getOrCreate(cachedChoices(problem), problem.offerings, () => new Map());
  return getOrCreate(byConstraints, constraints, () => createChoices(listHeaviestOpenings(spec, problem), problem));
}

const CHARACTERS_PER_OPERATION = 50;

const describeConstraints = memoize(
  ({ nodeSelector, requiredNodeTerms, preferredNodeTerms, tolerations, resolved }: PodSpec) =>
    JSON.stringify([
      nodeSelector,
      requiredNodeTerms,
      preferredNodeTerms,
      tolerations,
      resolved?.nodeTerms,
      resolved?.devices,
    ]),
);

function listHeaviestOpenings(spec: PodSpec, problem: Problem): readonly Opening[] {
  const { nodeTemplates, typeIndex, offerings, work } = problem;
  const relaxations = listRelaxations({ ...spec, ...NO_TOPOLOGY_RULES });
  work.spend(OPERATIONS_PER_POOL * relaxations.length * nodeTemplates.length);
  let weight: number | undefined;
  return relaxations.flatMap(({ tolerations, requirements }) =>
    nodeTemplates.flatMap((template): readonly Opening[] => {
      if (weight !== undefined && template.pool.weight !== weight) return [];
      if (findUntoleratedTaint(template.pool.taints, tolerations)) return [];
      const narrowing = narrowTemplate(template, requirements, typeIndex, offerings.zones);
      if (narrowing.outcome === 'conflict') return [];
      weight = template.pool.weight;
      return [withTypesHavingDevices(spec, { ...narrowing.narrowed, template }, problem)];
    }),
  );
}

/** Giving up topology rules changes neither the requirements nor the tolerations of a pod. */
const NO_TOPOLOGY_RULES = {
  topologySpread: [],
  preferredPodAffinity: [],
  preferredPodAntiAffinity: [],
} as const;

/** Taints and requirements are compared with those of the pod. */
const OPERATIONS_PER_POOL = 100;

function createChoices(openings: readonly Opening[], problem: Problem): readonly PoolChoice[] {
  const numberOf = createSetNumbers();
  const offers = new Map<string, readonly TypesBesideDaemons[]>();
  const keysByPool = new Map<string, Set<string>>();
  for (const opening of openings) {
    const { types, where, template } = opening;
    const daemons = describeDaemons(template, numberOf);
    const key = `${numberOf(types)} ${where.zones} ${where.capacityTypes} ${daemons}`;
    getOrCreate(offers, key, () => listTypesByDaemons(opening, problem));
    getOrCreate(keysByPool, template.pool.name, () => new Set()).add(key);
  }
  const byKeys = Map.groupBy(keysByPool, ([, keys]) => [...keys].toSorted().join('\n'));
  return [...byKeys.values()].map((equal) => ({
    pools: equal.map(([pool]) => pool),
    offers: [...(equal[0]?.[1] ?? [])].map((key) => offers.get(key) ?? []),
  }));
}

const describeDaemons = ({ daemons }: NodeClaimTemplate, numberOf: SetNumbers): string =>
  daemons
    .map(({ types, overhead, hostPorts }) => [numberOf(types), overhead.join(), JSON.stringify(hostPorts)].join(' '))
    .join();

function listTypesByDaemons({ types, where, template }: Opening, problem: Problem): readonly TypesBesideDaemons[] {
  return template.daemons.map((daemons) => {
    const besideDaemons = { types: intersection(types, daemons.types), where };
    problem.work.spend(OPERATIONS_PER_TYPE * problem.typeIndex.types.length);
    return { daemons, types: listUndominatedTypes(besideDaemons, problem) };
  });
}

/** A type is compared with the cheaper ones. */
const OPERATIONS_PER_TYPE = 10;

/** The choice with the lowest price for a pod, and the prices of all choices. */
interface CheapestChoice {
  /** The first of the equally cheap pools. */
  readonly pool: string;
  readonly shareUsd: number;
  /**
   * By choice: the price of the pod's share of a node. Half of a node's price is for CPU, half for
   * memory. Infinity if no type has room for the pod.
   */
  readonly shares: Float64Array;
}

/** @returns undefined if there is no choice */
export function findCheapestChoice(
  spec: PodSpec,
  choices: readonly PoolChoice[],
  problem: Problem,
): CheapestChoice | undefined {
  if (choices.length === 0) return undefined;
  const shares = Float64Array.from(choices, ({ offers }) =>
    offers.reduce((min, offer) => Math.min(min, computeShareUsd(spec, offer, problem)), Infinity),
  );
  const shareUsd = Math.min(...shares);
  const pool = choices[shares.indexOf(shareUsd)]?.pools[0] ?? '';
  return { pool, shareUsd, shares };
}

/** Finds the cheapest pool of the greatest weight for the pod. Empty if no pool can run it. */
export function findCheapestPool(spec: PodSpec, problem: Problem): string {
  const choices = listPoolChoices(spec, problem);
  const bySpec = getOrCreate(cheapestPools, choices, () => new WeakMap());
  return getOrCreate(bySpec, spec, () => findCheapestChoice(spec, choices, problem)?.pool ?? '');
}

/** Each pod of a node is asked about for each move that its node may be part of. */
const cheapestPools = new WeakMap<readonly PoolChoice[], WeakMap<PodSpec, string>>();

/** Pods that must share a node need a type for all of them; if none is large enough, for the first. */
function computeShareUsd(spec: PodSpec, offer: readonly TypesBesideDaemons[], problem: Problem): number {
  const request = toVector(problem.columns, spec.requests);
  const { together } = spec.resolved ?? {};
  if (together) {
    const all = toVector(problem.columns, together);
    const usd = findMinShareUsd(spec, offer, { request, room: all }, problem);
    if (usd < Infinity) return usd;
  }
  return findMinShareUsd(spec, offer, { request, room: request }, problem);
}

function findMinShareUsd(
  { hostPorts }: PodSpec,
  offer: readonly TypesBesideDaemons[],
  { request, room }: { readonly request: Vector; readonly room: Vector },
  { columns, work }: Problem,
): number {
  const cpu = columns.indexOf.get('cpu') ?? -1;
  const memory = columns.indexOf.get('memory') ?? -1;
  let minUsd = Infinity;
  for (const { daemons, types } of offer) {
    work.spend(OPERATIONS_PER_OFFER + hostPorts.length * daemons.hostPorts.length + types.length);
    if (findPortConflict(hostPorts, daemons.hostPorts)) continue;
    const needed = sum(room, daemons.overhead);
    const neededColumns = listRequestedColumns(needed);
    for (const { hourlyUsd, allocatable } of types) {
      if (!hasRoom(allocatable, needed, neededColumns)) continue;
      const shares = computeShare(request, allocatable, cpu) + computeShare(request, allocatable, memory);
      minUsd = Math.min(minUsd, (hourlyUsd * shares) / 2);
    }
  }
  return minUsd;
}

const OPERATIONS_PER_OFFER = 20;

const computeShare = (request: Vector, allocatable: Vector, column: number): number =>
  column < 0 ? 0 : at(request, column) / at(allocatable, column);
