import { hashWithSeed } from '../../../model/hash.ts';
import type { RowKind } from './row-kinds.ts';

/**
 * A partition gives 3,000 read and 1,000 write units per second. Eight of them list 5,000 claims of
 * 1 KB, and store a plan of 1,000, within a second.
 */
const CLAIM_PARTITIONS = 8;
const HASH_SEED = 1;

/** Kinds whose rows are only read by name: each row has a partition of its own. */
const OWN_PARTITION: ReadonlySet<RowKind> = new Set(['EndedClaim', 'ClaimContent', 'ClaimLookup']);

/**
 * Computes the `pk` of a row. The number of partitions must not change: rows would not be found.
 *
 * @param cluster - the `pk` of kinds that share a partition
 */
export function toPartition(cluster: string, kind: RowKind, name: string): string {
  if (OWN_PARTITION.has(kind)) return `${cluster}#${kind}#${name}`;
  if (kind !== 'Claim') return cluster;
  return `${cluster}#Claim#${hashWithSeed(name, HASH_SEED) % CLAIM_PARTITIONS}`;
}

/** Lists the partitions in which rows of the kind may be. */
export function listPartitions(cluster: string, kind: RowKind): readonly string[] {
  if (kind !== 'Claim') return [cluster];
  return Array.from({ length: CLAIM_PARTITIONS }, (_, index) => `${cluster}#Claim#${index}`);
}
