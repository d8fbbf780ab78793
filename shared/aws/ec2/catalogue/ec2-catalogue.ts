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
 * Lists for each pool the types that its NodeClass has images for and that EC2 sells in the zones
 * of its subnets. Returns the same list objects as long as nothing changes, because decisions cache
 * by identity.
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
        const reserved = launchableClass ? listReservations(launchableClass.resolved, prices, now) : [];
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
      ...(prices.commitments && { commitments: prices.commitments }),
      ...(prices.unpriced && { unpriced: prices.unpriced }),
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
  const entries = byPool.flatMap(({ name, full }) => (full.length > 0 ? [[name, full] as const] : []));
  return entries.length > 0 ? { fullZones: Object.fromEntries(entries) } : {};
};

/** Includes zones whose subnets are full: pods that require such a zone wait for it. */
const toZoneIds = ({ subnets }: ResolvedNodeClass): ZoneIds =>
  Object.fromEntries(subnets.flatMap(({ zone, zoneId }) => (zoneId === undefined ? [] : [[zone, zoneId]])));

/** A reservation in a zone without a free subnet address cannot be used. */
function listReservations(resolved: ResolvedNodeClass, prices: PriceList, now: EpochMs): readonly Offering[] {
  const zones = listLaunchZones(resolved);
  const { name, reservations = [] } = resolved;
  return listReservedOfferings(name, reservations, prices, now).filter(({ zone }) => zones.includes(zone));
}

/** Two pools with the same class list the same reservations, so duplicates are dropped. */
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

/** Drops types without an image in the class: they would be planned but could not be launched. */
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
        (isReserved(resolved, name) || prices.offeringsOf(name).some(({ zone }) => zones.includes(zone))),
    ),
  );
}

/** A type that this release does not know passes; EC2 refuses it if it does not fit. */
function fitsPlacementGroup({ placementGroup }: ResolvedNodeClass, name: string): boolean {
  const type = findEc2Type(name);
  return !placementGroup || !type || findPlacementConflict(type, placementGroup.strategy) === undefined;
}

/** Capacity blocks are not sold as on-demand or spot offerings. */
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
  const all = [...names].flatMap((name) => cache.prices.offeringsOf(name).filter(({ zone }) => zones.has(zone)));
  cache.offerings = { of: lists, zones: key, all };
  return all;
}

const isSameSet = <T>(a: ReadonlySet<T>, b: ReadonlySet<T>): boolean =>
  a.size === b.size && [...a].every((member) => b.has(member));
