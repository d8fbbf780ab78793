import type { NodeClaim } from '../model/node-claim.ts';
import { hasBit } from '../scheduling/bitset.ts';
import type { Problem } from '../scheduling/problem.ts';

/**
 * The number of the type that a claim runs as. A pool has numbers of its own where it makes something
 * else of a type than others do. Absent: the catalogue knows no such type.
 */
export function typeOfNode(
  { pool, launch }: NodeClaim,
  { index, snapshot }: Problem,
): number | undefined {
  const own = index.ofList(snapshot.instanceTypes[pool] ?? []);
  const numbers = index.numbersOf.get(launch?.instanceType ?? '') ?? [];
  return numbers.find((number) => hasBit(own, number)) ?? numbers[0];
}
