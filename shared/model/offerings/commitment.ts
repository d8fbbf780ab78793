import { ownValue } from '../own-value.ts';
import { CPU, type Resources } from '../resources.ts';
import type { EpochMs } from '../time.ts';

/**
 * On-demand capacity that is paid for whether instances use it or not: reserved instances, or a Savings
 * Plan. Only the part that this cluster may use.
 */
export interface Commitment {
  readonly id: string;
  /** The unit of `amount`: instances, sizes of a family, or USD per hour at the price of a Savings Plan. */
  readonly unit: 'instances' | 'normalized-units' | 'usd';
  readonly amount: number;
  /** Only for `instances`. */
  readonly instanceType?: string;
  /** `undefined` for a Compute Savings Plan, which covers every family. */
  readonly family?: string;
  /** `undefined` for every zone. */
  readonly zone?: string;
  /** The price of the Savings Plan as a share of the on-demand price: 0 to 1. Only for `usd`. */
  readonly priceShare?: number;
  /** `undefined` if it does not end. */
  readonly endsAt?: EpochMs;
}

/** The properties of an instance that decide which commitments cover it. */
export interface CoverableInstance {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacity: Resources;
  /** The on-demand price, in USD per hour. */
  readonly onDemandUsd: number;
}

/** Computes how much of the commitment an instance uses; `undefined` if it does not cover the instance. */
export function computeUsedUnits(
  { unit, instanceType, family, zone, priceShare = 1 }: Commitment,
  instance: CoverableInstance,
): number | undefined {
  if (zone !== undefined && zone !== instance.zone) return undefined;
  if (instanceType !== undefined && instanceType !== instance.instanceType) return undefined;
  if (family !== undefined && family !== toFamily(instance.instanceType)) return undefined;
  switch (unit) {
    case 'instances':
      return 1;
    case 'normalized-units':
      return computeNormalizedUnits(instance.instanceType, instance.capacity);
    case 'usd':
      return instance.onDemandUsd * priceShare;
  }
}

/** The part of an instance type before the dot: `m7i` of `m7i.large`. */
export const toFamily = (instanceType: string): string => instanceType.split('.')[0] ?? '';

const SMALL_SIZES: ReadonlyMap<string, number> = new Map([
  ['nano', 0.25],
  ['micro', 0.5],
  ['small', 1],
  ['medium', 2],
  ['large', 4],
  ['xlarge', 8],
]);

const UNITS_PER_XLARGE = 8;
/** A `large` has 2 vCPUs and 4 units; bare metal has the units of a size with as many vCPUs. */
const UNITS_PER_VCPU = 2;

/**
 * The normalization factor of an instance size.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/apply_ri.html
 */
export function computeNormalizedUnits(instanceType: string, capacity: Resources = {}): number {
  const size = instanceType.split('.')[1] ?? '';
  const [, times] = /^(\d+)xlarge$/.exec(size) ?? [];
  if (times !== undefined) return Number(times) * UNITS_PER_XLARGE;
  return SMALL_SIZES.get(size) ?? ((ownValue(capacity, CPU) ?? 0) / 1000) * UNITS_PER_VCPU;
}

/**
 * Sorts commitments as AWS applies them: zonal and then regional reserved instances, EC2 Instance Savings
 * Plans, Compute Savings Plans; among these the largest discount first.
 *
 * @see https://docs.aws.amazon.com/savingsplans/latest/userguide/sp-applying.html
 */
export const sortByApplication = (commitments: readonly Commitment[]): readonly Commitment[] =>
  commitments.toSorted(
    (a, b) => toRank(a) - toRank(b) || (a.priceShare ?? 0) - (b.priceShare ?? 0) || (a.id < b.id ? -1 : 1),
  );

function toRank({ unit, zone, family }: Commitment): number {
  if (unit !== 'usd') return zone === undefined ? 1 : 0;
  return family === undefined ? 3 : 2;
}
