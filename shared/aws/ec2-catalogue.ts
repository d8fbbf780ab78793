import { instanceTypesOf } from '../catalogue/instance-types.ts';
import type { InstanceType, Offering } from '../model/instance-type.ts';
import type { EC2NodeClass } from '../model/node-class.ts';
import type { NodePool } from '../model/node-pool.ts';
import type { Catalogue } from '../ports/cloud.ts';
import type { PriceList } from './price-list.ts';

/** Absent: the cluster has no NodeClass of this name. */
export type FindNodeClass = (name: string) => Promise<EC2NodeClass | undefined>;

type Types = readonly InstanceType[];

interface Sold {
  readonly prices: PriceList;
  readonly byList: Map<Types, Types>;
  offerings?: { readonly of: ReadonlySet<Types>; readonly all: readonly Offering[] };
}

/**
 * What each pool's NodeClass can run and EC2 sells. As long as neither changes, the same lists:
 * decisions remember by them what they have worked out.
 */
export function createCatalogueReader(
  findNodeClass: FindNodeClass,
): (pools: readonly NodePool[], prices: PriceList) => Promise<Catalogue> {
  let sold: Sold | undefined;

  return async (pools, prices) => {
    if (sold?.prices !== prices) sold = { prices, byList: new Map() };
    const current = sold;
    const byPool = await Promise.all(
      pools.map(async ({ name, nodeClass }) => {
        const found = await findNodeClass(nodeClass.name);
        return [name, found ? typesSold(current, instanceTypesOf(found)) : NONE] as const;
      }),
    );
    const lists = new Set(byPool.map(([, types]) => types));
    return {
      instanceTypes: Object.fromEntries(byPool),
      offerings: offeringsSold(current, lists),
    };
  };
}

const NONE: Types = [];

function typesSold({ byList, prices }: Sold, types: Types): Types {
  const known = byList.get(types);
  if (known) return known;
  const some = types.filter(({ name }) => prices.offeringsOf(name).length > 0);
  byList.set(types, some);
  return some;
}

function offeringsSold(sold: Sold, lists: ReadonlySet<Types>): readonly Offering[] {
  const before = sold.offerings;
  if (before && isSameSet(before.of, lists)) return before.all;
  const names = new Set([...lists].flatMap((types) => types.map(({ name }) => name)));
  const all = [...names].flatMap(sold.prices.offeringsOf);
  sold.offerings = { of: lists, all };
  return all;
}

const isSameSet = <T>(a: ReadonlySet<T>, b: ReadonlySet<T>): boolean =>
  a.size === b.size && [...a].every((member) => b.has(member));
