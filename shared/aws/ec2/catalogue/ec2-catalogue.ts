import { canonicalText } from '../../../api/static-hash.ts';
import { findPlacementConflict } from '../../../ec2/catalogue/compatibility.ts';
import { findEc2Type } from '../../../ec2/catalogue/ec2-types.ts';
import type { TypeSettings } from '../../../ec2/catalogue/instance-types.ts';
import { listFullZones, listLaunchZones } from '../../../ec2/node-class/free-capacity.ts';
import { findImage } from '../../../ec2/node-class/image-choice.ts';
import { getOrCreate } from '../../../model/memo.ts';
import type { LearnedSize } from '../../../model/nodes/learned-sizes.ts';
import type { NodePool } from '../../../model/nodes/node-pool.ts';
import type { InstanceType, Offering } from '../../../model/offerings/instance-type.ts';
import type { ZoneIds } from '../../../model/offerings/zones.ts';
import type { EpochMs } from '../../../model/time.ts';
import type { Catalogue } from '../../../ports/cloud.ts';
import type { ResolvedNodeClass } from '../../../ports/node-classes.ts';
import type { FindNodeClass, LaunchableClass } from '../../node-class/launchable-class.ts';
import { listReservedOfferings, type PriceList } from '../prices/price-list.ts';
import { listTypesOfClass } from './types-of-class.ts';

type Types = readonly InstanceType[];

interface CatalogueCache {
  readonly prices: PriceList;
  readonly soldTypesByList: Map<Types, Map<string, Types>>;
  withReserved?: {
    readonly of: readonly Offering[];
    readonly key: string;
    readonly all: readonly Offering[];
  };
  offerings?: {
    readonly of: ReadonlySet<Types>;
    readonly zones: string;
    readonly all: readonly Offering[];
  };
}

/**
 * What each pool's NodeClass has images for and EC2 sells where the class has subnets. As long as
 * nothing of that changes, the same lists: decisions remember by them what they have worked out.
 */
export function createCatalogueReader(
  findNodeClass: FindNodeClass,
  region?: string,
  settings?: TypeSettings,
): (
  pools: readonly NodePool[],
  prices: PriceList,
  sizes?: readonly LearnedSize[],
  now?: EpochMs,
) => Promise<Catalogue> {
  let cache: CatalogueCache | undefined;

  return async (pools, prices, sizes = [], now = 0) => {
    if (cache?.prices !== prices) cache = { prices, soldTypesByList: new Map() };
    const current = cache;
    const byPool = await Promise.all(
      pools.map(async ({ name, nodeClass }) => {
        const launchableClass = await findNodeClass(nodeClass.name);
        const zones = launchableClass ? listLaunchZones(launchableClass.resolved) : [];
        const types = launchableClass
          ? listSoldTypes(
              current,
              launchableClass,
              zones,
              listTypesOfClass(launchableClass, prices, sizes, region, settings),
            )
          : NO_TYPES;
        const reserved = launchableClass
          ? listReservations(launchableClass.resolved, prices, now)
          : [];
        const full = launchableClass ? listFullZones(launchableClass.resolved) : [];
        const zoneIds = launchableClass ? toZoneIds(launchableClass.resolved) : {};
        return { name, zones, full, types, reserved, zoneIds };
      }),
    );
    const offerings = listOfferings(
      current,
      new Set(byPool.map(({ types }) => types)),
      new Set(byPool.flatMap(({ zones }) => zones)),
    );
    return {
      instanceTypes: Object.fromEntries(byPool.map(({ name, types }) => [name, types])),
      zones: Object.fromEntries(byPool.map(({ name, zones }) => [name, zones])),
      ...toFullZones(byPool),
      zoneIds: Object.fromEntries(byPool.flatMap(({ zoneIds }) => Object.entries(zoneIds))),
      offerings: withReserved(
        current,
        offerings,
        byPool.flatMap(({ reserved }) => reserved),
      ),
    };
  };
}

const NO_TYPES: Types = [];

const toFullZones = (
  byPool: readonly { readonly name: string; readonly full: readonly string[] }[],
): Pick<Catalogue, 'fullZones'> => {
  const entries = byPool.flatMap(({ name, full }) =>
    full.length > 0 ? [[name, full] as const] : [],
  );
  return entries.length > 0 ? { fullZones: Object.fromEntries(entries) } : {};
};

/** Of subnets without room too: what asks for their zone waits for it. */
const toZoneIds = ({ subnets }: ResolvedNodeClass): ZoneIds =>
  Object.fromEntries(
    subnets.flatMap(({ zone, zoneId }) => (zoneId === undefined ? [] : [[zone, zoneId]])),
  );

/** Where the class has no subnet with room, its reservations are of no use. */
function listReservations(
  resolved: ResolvedNodeClass,
  prices: PriceList,
  now: EpochMs,
): readonly Offering[] {
  const zones = listLaunchZones(resolved);
  const { name, reservations = [] } = resolved;
  return listReservedOfferings(name, reservations, prices, now).filter(({ zone }) =>
    zones.includes(zone),
  );
}

/** Two pools of a class see the same reservations. */
function withReserved(
  cache: CatalogueCache,
  offerings: readonly Offering[],
  reserved: readonly Offering[],
): readonly Offering[] {
  if (reserved.length === 0) return offerings;
  const cached = cache.withReserved;
  const key = canonicalText(reserved);
  if (cached?.of === offerings && cached.key === key) return cached.all;
  const distinct = new Map(reserved.map((one) => [canonicalText(one), one]));
  const all = [...offerings, ...distinct.values()];
  cache.withReserved = { of: offerings, key, all };
  return all;
}

/** Types that no image of the class is for would be planned for and never launched. */
function listSoldTypes(
  { soldTypesByList, prices }: CatalogueCache,
  launchableClass: LaunchableClass,
  zones: readonly string[],
  types: Types,
): Types {
  const { resolved } = launchableClass;
  const cachedByKey = getOrCreate(soldTypesByList, types, () => new Map());
  const key = canonicalText([
    zones,
    resolved.images.map(({ requirements }) => requirements),
    resolved.placementGroup?.strategy,
    resolved.reservations?.map(({ instanceType }) => instanceType),
  ]);
  return getOrCreate(cachedByKey, key, () =>
    types.filter(
      ({ name, labels }) =>
        findImage(resolved.images, labels) &&
        fitsPlacementGroup(resolved, name) &&
        (isReserved(resolved, name) ||
          prices.offeringsOf(name).some(({ zone }) => zones.includes(zone))),
    ),
  );
}

/** Of a type that this release does not know EC2 will say so itself. */
function fitsPlacementGroup({ placementGroup }: ResolvedNodeClass, name: string): boolean {
  const type = findEc2Type(name);
  return (
    !placementGroup || !type || findPlacementConflict(type, placementGroup.strategy) === undefined
  );
}

/** Capacity blocks are sold in no other way. */
const isReserved = ({ reservations = [] }: ResolvedNodeClass, name: string): boolean =>
  reservations.some(({ instanceType }) => instanceType === name);

function listOfferings(
  cache: CatalogueCache,
  lists: ReadonlySet<Types>,
  zones: ReadonlySet<string>,
): readonly Offering[] {
  const cached = cache.offerings;
  const key = [...zones].toSorted().join(' ');
  if (cached && cached.zones === key && isSameSet(cached.of, lists)) return cached.all;
  const names = new Set([...lists].flatMap((types) => types.map(({ name }) => name)));
  const all = [...names].flatMap((name) =>
    cache.prices.offeringsOf(name).filter(({ zone }) => zones.has(zone)),
  );
  cache.offerings = { of: lists, zones: key, all };
  return all;
}

const isSameSet = <T>(a: ReadonlySet<T>, b: ReadonlySet<T>): boolean =>
  a.size === b.size && [...a].every((member) => b.has(member));
