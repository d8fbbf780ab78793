import prices from './data/on-demand-us-east-1.json' with { type: 'json' };
import { findEc2Type } from './ec2-types.ts';

/** A family's sizes cost the same for each unit, save the sizes that are named. */
interface FamilyPrice {
  /** USD per hour and unit. */
  readonly rate: number;
  /** The unit: a vCPU where absent; burstable families go by memory. */
  readonly per?: string;
  /** USD per hour by size. */
  readonly fixed?: Readonly<Record<string, number>>;
}

/** The day of the list that the bundled prices are from. */
export const PRICES_AS_OF = prices.asOf;

const FAMILIES: ReadonlyMap<string, FamilyPrice> = new Map(Object.entries(prices.families));

/**
 * What EC2 charges for an hour of the type, Linux, on demand, in us-east-1; within half a percent of
 * the list. Absent: no price is known, so it cannot be weighed and is not offered.
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

/** Types that EC2 no longer describes are still on the list; their names tell their size. */
function findVcpus(instanceType: string, size: string): number | undefined {
  const cpu = findEc2Type(instanceType)?.cpu;
  if (cpu !== undefined) return cpu;
  if (size === 'xlarge') return 4;
  const times = /^(\d+)xlarge$/.exec(size)?.[1];
  return times === undefined ? undefined : 4 * Number(times);
}

// 0.1 + 0.2 must not show in a table of prices.
const toMicrodollars = (usd: number): number => Math.round(usd * 1e6) / 1e6;
