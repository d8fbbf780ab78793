import { toResources } from '../../../shared/model/quantity.ts';
import type { Resources } from '../../../shared/model/resources.ts';
import bandwidths from './data/bandwidth.json' with { type: 'json' };
import prices from './data/on-demand-prices.json' with { type: 'json' };
import bundle from './data/published-types.json' with { type: 'json' };
import interfaces from './data/vpc-limits.json' with { type: 'json' };

/** The values of the reference's documentation for AL2023 without configuration. */
export interface PublishedType {
  readonly name: string;
  /** By the part of the key after `karpenter.k8s.aws/instance-`; `arch` is kubernetes.io/arch. */
  readonly labels: Readonly<Record<string, string>>;
  readonly allocatable: Resources;
}

const named = (keys: readonly string[], cells: readonly string[], absent: string): Record<string, string> =>
  Object.fromEntries(
    keys.flatMap((key, i) => {
      const cell = cells[i] ?? absent;
      return cell === absent ? [] : [[key, cell]];
    }),
  );

export const PUBLISHED_TYPES: readonly PublishedType[] = bundle.types.map((row) => {
  const [name = '', ...cells] = row.split('|');
  const split = bundle.labels.length;
  return {
    name,
    labels: named(bundle.labels, cells.slice(0, split), '-'),
    allocatable: toResources(named(bundle.resources, cells.slice(split), '')),
  };
});

/** USD per hour by type, us-east-1. */
export const PUBLISHED_PRICES: ReadonlyMap<string, number> = new Map(
  prices.prices.map((row) => {
    const [name = '', usd] = row.split(' ');
    return [name, Number(usd)];
  }),
);

/** Mbit/s by type, as AWS publishes them. */
export const PUBLISHED_BANDWIDTHS: ReadonlyMap<string, number> = new Map(
  bandwidths.types.map((row) => {
    const [name = '', mbps] = row.split(' ');
    return [name, Number(mbps)];
  }),
);

interface Interfaces {
  readonly enis: number;
  readonly ipv4: number;
  readonly branch: number;
}

/** The interfaces of each type that the VPC CNI publishes. */
export const PUBLISHED_INTERFACES: ReadonlyMap<string, Interfaces> = new Map(
  interfaces.types.map((row) => {
    const [name = '', enis, ipv4, branch] = row.split(' ');
    return [name, { enis: Number(enis), ipv4: Number(ipv4), branch: Number(branch) }];
  }),
);
