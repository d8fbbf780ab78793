import { RESERVATION_ID_LABEL } from '../model/labels.ts';
import type { NodeClaim } from '../model/node-claim.ts';
import type { Problem } from '../scheduling/input/problem.ts';
import { hasBit } from '../scheduling/data-structures/bitset.ts';

/**
 * The number of the type that a claim runs as. A pool has numbers of its own where it makes something
 * else of a type than others do, and so has a reservation. Absent: the catalogue knows no such type.
 */
export function typeOfNode(
  { pool, launch }: NodeClaim,
  { index, snapshot }: Problem,
): number | undefined {
  const own = index.ofList(snapshot.instanceTypes[pool] ?? []);
  const reservation = launch?.labels[RESERVATION_ID_LABEL];
  const numbers = index.numbersOf.get(launch?.instanceType ?? '') ?? [];
  const ofPool = numbers.filter((number) => hasBit(own, number));
  const exact = ofPool.find((number) => index.types[number]?.reservation === reservation);
  return exact ?? ofPool[0] ?? numbers[0];
}
