import { instanceTypesOf } from '../catalogue/instance-types.ts';
import type { InstanceType, Offering } from '../model/instance-type.ts';
import type { EC2NodeClass } from '../model/node-class.ts';
import type { NodePool } from '../model/node-pool.ts';
import type { Catalogue } from '../ports/cloud.ts';
import type { ResolvedNodeClass } from '../ports/node-classes.ts';
import type { PriceList } from './price-list.ts';

/** A class that nodes can be made of now. */
export interface LaunchableClass {
  readonly resolved: ResolvedNodeClass;
  /** `resolved.written`, as instance types see it. */
  readonly nodeClass: EC2NodeClass;
}

/** Absent: there is no such class, or it is not ready. */
export type FindNodeClass = (name: string) => Promise<LaunchableClass | undefined>;

type Types = readonly InstanceType[];

interface Sold {
  readonly prices: PriceList;
  readonly byList: Map<Types, Map<string, Types>>;
  offerings?: {
    readonly of: ReadonlySet<Types>;
    readonly zones: string;
    readonly all: readonly Offering[];
  };
}

/**
 * What each pool's NodeClass can run and EC2 sells where the classes have subnets. As long as nothing
 * of that changes, the same lists: decisions remember by them what they have worked out.
 */
export function createCatalogueReader(
  findNodeClass: FindNodeClass,
): (pools: readonly NodePool[], prices: PriceList) => Promise<Catalogue> {
  let sold: Sold | undefined;

  return async (pools, prices) => {
    if (sold?.prices !== prices) sold = { prices, byList: new Map() };
    const current = sold;
    const zones = new Set<string>();
    const byPool = await Promise.all(
      pools.map(async ({ name, nodeClass }) => {
        const found = await findNodeClass(nodeClass.name);
        if (!found) return [name, NONE] as const;
        const own = new Set(found.resolved.subnets.map(({ zone }) => zone));
        for (const zone of own) zones.add(zone);
        return [name, typesSold(current, instanceTypesOf(found.nodeClass), own)] as const;
      }),
    );
    const lists = new Set(byPool.map(([, types]) => types));
    return {
      instanceTypes: Object.fromEntries(byPool),
      offerings: offeringsSold(current, lists, zones),
    };
  };
}

const NONE: Types = [];

const keyOf = (zones: ReadonlySet<string>): string => [...zones].toSorted().join(' ');

function typesSold({ byList, prices }: Sold, types: Types, zones: ReadonlySet<string>): Types {
  const byZones = byList.get(types) ?? new Map<string, Types>();
  byList.set(types, byZones);
  const known = byZones.get(keyOf(zones));
  if (known) return known;
  const some = types.filter(({ name }) =>
    prices.offeringsOf(name).some(({ zone }) => zones.has(zone)),
  );
  byZones.set(keyOf(zones), some);
  return some;
}

function offeringsSold(
  sold: Sold,
  lists: ReadonlySet<Types>,
  zones: ReadonlySet<string>,
): readonly Offering[] {
  const before = sold.offerings;
  const key = keyOf(zones);
  if (before && before.zones === key && isSameSet(before.of, lists)) return before.all;
  const names = new Set([...lists].flatMap((types) => types.map(({ name }) => name)));
  const all = [...names].flatMap((name) =>
    sold.prices.offeringsOf(name).filter(({ zone }) => zones.has(zone)),
  );
  sold.offerings = { of: lists, zones: key, all };
  return all;
}

const isSameSet = <T>(a: ReadonlySet<T>, b: ReadonlySet<T>): boolean =>
  a.size === b.size && [...a].every((member) => b.has(member));
