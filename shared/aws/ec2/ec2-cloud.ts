import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { Cloud } from '../../ports/cloud.ts';
import type { Clock } from '../../ports/ports.ts';
import { createCatalogueReader } from './catalogue/ec2-catalogue.ts';
import { ec2Impairments } from './instances/ec2-impairments.ts';
import { ec2Instances } from './instances/ec2-instances.ts';
import { type LaunchDependencies, type LaunchSettings, launchInstances } from './launch/launch-instances.ts';
import { withOverlayPrices } from './prices/overlay-prices.ts';

/**
 * EC2 in one region, limited to instances with the cluster's tags. `catalogue` reads fresh data;
 * launches within the next seconds reuse it.
 */
export function ec2Cloud(dependencies: LaunchDependencies, settings: LaunchSettings): Cloud {
  const { clock, log, priceSource } = dependencies;
  const instances = ec2Instances(dependencies.ec2, settings.cluster);
  const classes = createShortCache(dependencies.findNodeClass, clock);
  const sizes = createShortCache(() => dependencies.learnedSizes.list(clock.now()), clock);
  const unavailable = createShortCache(() => dependencies.unavailableOfferings.list(clock.now()), clock);
  const readCatalogue = createCatalogueReader(classes.get, settings.region, settings.types);
  const launchParts: LaunchDependencies = {
    ...dependencies,
    findNodeClass: classes.get,
    learnedSizes: { list: () => sizes.get(ALL) },
    unavailableOfferings: { list: () => unavailable.get(ALL) },
  };

  return {
    async catalogue(pools, overlays) {
      const now = clock.now();
      const names = new Set(pools.map(({ nodeClass }) => nodeClass.name));
      const [prices, learned] = await Promise.all([
        priceSource.current(),
        sizes.refresh(ALL),
        ...[...names].map(classes.refresh),
      ]);
      return readCatalogue(pools, withOverlayPrices(prices, overlays), learned, now);
    },
    async launch(request) {
      try {
        return await launchInstances(launchParts, instances, settings, request);
      } finally {
        // The launch has used addresses, or found that there are none.
        classes.clear();
        unavailable.clear();
      }
    },
    instances: instances.list,
    findInstances: instances.find,
    instance: instances.get,
    impairments: ec2Impairments(dependencies.ec2, log),
    nameInstance: instances.name,
    terminate: instances.terminate,
    reboot: instances.reboot,
  };
}

/** The cache key of a query without parameters. */
const ALL = '';

/** Launches of one plan need the same data within this time; a large plan takes two seconds. */
const MAX_AGE_MS = 3 * SECOND_MS;

/** A cache that holds each value for a few seconds. */
interface ShortCache<T> {
  /** Loads the value now. */
  refresh(key: string): Promise<T>;
  /** Returns the last value if it is recent, including one that is still loading. */
  get(key: string): Promise<T>;
  /** Drops all values after a change. */
  clear(): void;
}

/**
 * @param load - used with few keys, because the last value of each key is kept
 */
export function createShortCache<T>(load: (key: string) => Promise<T>, { now }: Clock): ShortCache<T> {
  const entries = new Map<string, { readonly at: EpochMs; readonly value: Promise<T> }>();

  function refresh(key: string): Promise<T> {
    const entry = { at: now(), value: load(key) };
    entries.set(key, entry);
    entry.value.catch(() => {
      if (entries.get(key) === entry) entries.delete(key);
    });
    return entry.value;
  }

  return {
    refresh,
    get(key) {
      const entry = entries.get(key);
      return entry && now() < entry.at + MAX_AGE_MS ? entry.value : refresh(key);
    },
    clear: () => entries.clear(),
  };
}
