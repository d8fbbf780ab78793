import { type Labels, RESERVATION_ID_LABEL } from '../../model/labels.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { ownValue } from '../../model/own-value.ts';
import { hasBit } from '../data-structures/bitset.ts';
import { at } from '../data-structures/resource-vectors.ts';
import { toCommittedUsd } from '../input/commitment-coverage.ts';
import type { ExistingNode } from '../input/existing-nodes.ts';
import type { Problem } from '../input/problem.ts';

/** The share of CPU or memory, whichever is larger, that pods request: 0 to 1. */
export function computeUsedShare(existingNode: ExistingNode, { columns: { indexOf } }: Problem): number {
  const cpu = computeShareOf(existingNode, indexOf.get('cpu') ?? -1);
  const memory = computeShareOf(existingNode, indexOf.get('memory') ?? -1);
  return Math.min(1, Math.max(0, cpu, memory));
}

function computeShareOf({ free, allocatable }: ExistingNode, column: number): number {
  const size = column < 0 ? 0 : at(allocatable, column);
  return size > 0 ? 1 - at(free, column) / size : 0;
}

/** EC2 sells a CPU for about the price of this much memory: r types cost that much more than c types. */
const BYTES_PER_CPU = 8 * 2 ** 30;

/**
 * Measures a node's room for CPU and memory, and the part that pods request, in one number: room that costs the same
 * counts the same.
 */
export function measureRoom(
  { free, allocatable }: ExistingNode,
  { columns: { names } }: Problem,
): { readonly all: number; readonly used: number } {
  const [cpu, memory] = [names.indexOf('cpu'), names.indexOf('memory')];
  const measure = (amounts: ExistingNode['free']): number =>
    at(amounts, cpu) / 1000 + at(amounts, memory) / BYTES_PER_CPU;
  const all = measure(allocatable);
  return { all, used: all - measure(free) };
}

/**
 * The list price of the claim's instance, in USD per hour; 0 if the catalogue does not know it. A
 * reservation whose instances are all in use is not listed. An instance that a commitment covers costs
 * nothing more.
 */
export function findHourlyUsd(claim: NodeClaim, problem: Problem): number {
  const { launch } = claim;
  const type = findType(claim, problem);
  if (!launch || type === undefined) return 0;
  const listedUsd = problem.offerings.listedUsd(type, launch.zone, launch.capacityType);
  if (listedUsd !== undefined && problem.coverage?.coveredBy.has(claim.name)) return toCommittedUsd(listedUsd);
  const priceAtLaunch = launch.capacityType === 'reserved' ? launch.hourlyUsd : 0;
  return listedUsd ?? priceAtLaunch;
}

/** Labels of the claim's instance type; `undefined` if the catalogue does not know it. */
export function findTypeLabels(claim: NodeClaim, problem: Problem): Labels | undefined {
  const type = findType(claim, problem);
  return type === undefined ? undefined : (problem.typeIndex.types[type]?.labels ?? {});
}

/**
 * Finds the type number of a claim. A type has several numbers if an overlay changes it for some
 * pools or if it has a reservation; the number of the claim's pool and reservation is preferred.
 */
function findType({ pool, launch }: NodeClaim, { typeIndex, snapshot }: Problem): number | undefined {
  const own = typeIndex.ofList(ownValue(snapshot.instanceTypes, pool) ?? []);
  const reservation = launch?.labels[RESERVATION_ID_LABEL];
  const numbers = typeIndex.numbersOf.get(launch?.instanceType ?? '') ?? [];
  const ofPool = numbers.filter((number) => hasBit(own, number));
  const exact = ofPool.find((number) => typeIndex.types[number]?.reservation === reservation);
  return exact ?? ofPool[0] ?? numbers[0];
}
