import prices from './data/on-demand-us-east-1.json' with { type: 'json' };
import { findEc2Type } from './ec2-types.ts';

/** All sizes of a family cost the same per unit, except the fixed ones. */
interface FamilyPrice {
  /** USD per hour and unit. */
  readonly rate: number;
  /** The unit: a vCPU by default; memory for burstable families. */
  readonly per?: string;
  /** USD per hour by size. */
  readonly fixed?: Readonly<Record<string, number>>;
}

/** The date of the price list that the bundled prices come from. */
export const PRICES_AS_OF = prices.asOf;

const FAMILIES: ReadonlyMap<string, FamilyPrice> = new Map(Object.entries(prices.families));

/**
 * Returns the on-demand price of the type in USD per hour, for Linux in us-east-1, within half a
 * percent of the list; undefined if no price is known.
 */
export function findOnDemandUsd(instanceType: string): number | undefined {
  const [family = '', size = ''] = instanceType.split('.');
  const price = FAMILIES.get(family);
  if (!price) return undefined;

  const fixed = price.fixed?.[size];
  if (fixed !== undefined) return fixed;
  const units = price.per === 'GiB' ? findMemoryGib(instanceType) : findVcpus(instanceType, size);
  return units === undefined ? undefined : toMicrodollars(price.rate * units);
}

function findMemoryGib(instanceType: string): number | undefined {
  const type = findEc2Type(instanceType);
  return type && type.memoryMib / 1024;
}

/**
 * Types that EC2 no longer describes are still on the price list; their size follows from their
 * name.
 */
function findVcpus(instanceType: string, size: string): number | undefined {
  const cpu = findEc2Type(instanceType)?.cpu;
  if (cpu !== undefined) return cpu;
  if (size === 'xlarge') return 4;
  const times = /^(\d+)xlarge$/.exec(size)?.[1];
  return times === undefined ? undefined : 4 * Number(times);
}

// Removes floating-point noise such as 0.30000000000000004 from price tables.
const toMicrodollars = (usd: number): number => Math.round(usd * 1e6) / 1e6;
