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
import { type PriceList, reservedOfferings } from '../prices/price-list.ts';
import { typesOfClass } from './types-of-class.ts';

type Types = readonly InstanceType[];

interface Sold {
  readonly prices: PriceList;
  readonly byList: Map<Types, Map<string, Types>>;
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
  let sold: Sold | undefined;

  return async (pools, prices, sizes = [], now = 0) => {
    if (sold?.prices !== prices) sold = { prices, byList: new Map() };
    const current = sold;
    const byPool = await Promise.all(
      pools.map(async ({ name, nodeClass }) => {
        const found = await findNodeClass(nodeClass.name);
        const zones = found ? listLaunchZones(found.resolved) : [];
        const types = found
          ? typesSold(current, found, zones, typesOfClass(found, prices, sizes, region, settings))
          : NONE;
        const reserved = found ? reservedOf(found.resolved, prices, now) : [];
        const full = found ? listFullZones(found.resolved) : [];
        const zoneIds = found ? zoneIdsOf(found.resolved) : {};
        return { name, zones, full, types, reserved, zoneIds };
      }),
    );
    const offerings = offeringsSold(
      current,
      new Set(byPool.map(({ types }) => types)),
      new Set(byPool.flatMap(({ zones }) => zones)),
    );
    return {
      instanceTypes: Object.fromEntries(byPool.map(({ name, types }) => [name, types])),
      zones: Object.fromEntries(byPool.map(({ name, zones }) => [name, zones])),
      ...fullZonesOf(byPool),
      zoneIds: Object.fromEntries(byPool.flatMap(({ zoneIds }) => Object.entries(zoneIds))),
      offerings: withReserved(
        current,
        offerings,
        byPool.flatMap(({ reserved }) => reserved),
      ),
    };
  };
}

const NONE: Types = [];

const fullZonesOf = (
  byPool: readonly { readonly name: string; readonly full: readonly string[] }[],
): Pick<Catalogue, 'fullZones'> => {
  const entries = byPool.flatMap(({ name, full }) =>
    full.length > 0 ? [[name, full] as const] : [],
  );
  return entries.length > 0 ? { fullZones: Object.fromEntries(entries) } : {};
};

/** Of subnets without room too: what asks for their zone waits for it. */
const zoneIdsOf = ({ subnets }: ResolvedNodeClass): ZoneIds =>
  Object.fromEntries(
    subnets.flatMap(({ zone, zoneId }) => (zoneId === undefined ? [] : [[zone, zoneId]])),
  );

/** Where the class has no subnet with room, its reservations are of no use. */
function reservedOf(
  resolved: ResolvedNodeClass,
  prices: PriceList,
  now: EpochMs,
): readonly Offering[] {
  const zones = listLaunchZones(resolved);
  const { name, reservations = [] } = resolved;
  return reservedOfferings(name, reservations, prices, now).filter(({ zone }) =>
    zones.includes(zone),
  );
}

/** Two pools of a class see the same reservations. */
function withReserved(
  sold: Sold,
  offerings: readonly Offering[],
  reserved: readonly Offering[],
): readonly Offering[] {
  if (reserved.length === 0) return offerings;
  const before = sold.withReserved;
  const key = canonicalText(reserved);
  if (before?.of === offerings && before.key === key) return before.all;
  const distinct = new Map(reserved.map((one) => [canonicalText(one), one]));
  const all = [...offerings, ...distinct.values()];
  sold.withReserved = { of: offerings, key, all };
  return all;
}

/** Types that no image of the class is for would be planned for and never launched. */
function typesSold(
  { byList, prices }: Sold,
  found: LaunchableClass,
  zones: readonly string[],
  types: Types,
): Types {
  const { resolved } = found;
  const known = getOrCreate(byList, types, () => new Map());
  const key = canonicalText([
    zones,
    resolved.images.map(({ requirements }) => requirements),
    resolved.placementGroup?.strategy,
    resolved.reservations?.map(({ instanceType }) => instanceType),
  ]);
  return getOrCreate(known, key, () =>
    types.filter(
      ({ name, labels }) =>
        findImage(resolved.images, labels) &&
        standsIn(resolved, name) &&
        (isReserved(resolved, name) ||
          prices.offeringsOf(name).some(({ zone }) => zones.includes(zone))),
    ),
  );
}

/** Of a type that this release does not know EC2 will say so itself. */
function standsIn({ placementGroup }: ResolvedNodeClass, name: string): boolean {
  const type = findEc2Type(name);
  return (
    !placementGroup || !type || findPlacementConflict(type, placementGroup.strategy) === undefined
  );
}

/** Capacity blocks are sold in no other way. */
const isReserved = ({ reservations = [] }: ResolvedNodeClass, name: string): boolean =>
  reservations.some(({ instanceType }) => instanceType === name);

function offeringsSold(
  sold: Sold,
  lists: ReadonlySet<Types>,
  zones: ReadonlySet<string>,
): readonly Offering[] {
  const before = sold.offerings;
  const key = [...zones].toSorted().join(' ');
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
