import { toResources } from '../../shared/model/quantity.ts';
import type { Resources } from '../../shared/model/resources.ts';
import prices from './data/on-demand-prices.json' with { type: 'json' };
import bundle from './data/published-types.json' with { type: 'json' };

/** What the reference's documentation says about a type, for AL2023 with nothing configured. */
export interface PublishedType {
  readonly name: string;
  /** By the part of the key after `karpenter.k8s.aws/instance-`; `arch` is kubernetes.io/arch. */
  readonly labels: Readonly<Record<string, string>>;
  readonly allocatable: Resources;
  /** Its number of branch interfaces is older than the VPC CNI's table. */
  readonly podEniOutdated: boolean;
}

const named = (
  keys: readonly string[],
  cells: readonly string[],
  absent: string,
): Record<string, string> =>
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
    podEniOutdated: bundle.podEniOutdated.includes(name),
  };
});

/** USD per hour by type, us-east-1. */
export const PUBLISHED_PRICES: ReadonlyMap<string, number> = new Map(
  prices.prices.map((row) => {
    const [name = '', usd] = row.split(' ');
    return [name, Number(usd)];
  }),
);
