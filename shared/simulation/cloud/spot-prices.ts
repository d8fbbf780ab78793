import { hashWithSeed, mixBits } from '../../model/hash.ts';
import { drawFor, GOLDEN_STEP } from '../../model/random.ts';
import type { EpochMs } from '../../model/time.ts';
import { MINUTE_MS } from '../../model/time.ts';
import type { SimCatalogue } from '../world.ts';

/** How often spot prices move. */
export const PRICE_STEP_MS = 15 * MINUTE_MS;

/** What spot costs of the on-demand price where the home knows no better. */
const TYPICAL_SPOT_SHARE = 0.35;
/** How fast a price returns to what is usual, per step; how far it strays. */
const MEAN_REVERSION = 0.08;
const VOLATILITY = 0.06;

interface SpotPool {
  readonly hash: number;
  readonly baseUsd: number;
  readonly capUsd: number;
  /** Natural logarithm of the price over `baseUsd`. */
  logDeviation: number;
}

/** A seeded random walk for the price of each type in each zone. */
export interface SimSpotPrices {
  /** USD per hour; absent where the zone sells none. */
  price(instanceType: string, zone: string): number | undefined;
  /** Between 0, nearly empty, and 1: how much EC2 has to spare. */
  spareCapacity(instanceType: string, zone: string, now: EpochMs): number;
  /** Moves every price by one step. */
  step(): void;
  multiply(factor: number): void;
}

export function createSimSpotPrices(seed: number, facts: SimCatalogue): SimSpotPrices {
  const pools = new Map<string, SpotPool | undefined>();
  let steps = 0;
  let factor = 1;

  function findPool(instanceType: string, zone: string): SpotPool | undefined {
    const key = `${instanceType} ${zone}`;
    if (!pools.has(key)) pools.set(key, createPool(instanceType, zone, key));
    return pools.get(key);
  }

  function createPool(instanceType: string, zone: string, key: string): SpotPool | undefined {
    const onDemandUsd = facts.onDemandUsd(instanceType);
    const share = TYPICAL_SPOT_SHARE * (0.8 + 0.4 * drawFor(seed, `usual ${key}`));
    const typicalUsd = onDemandUsd === undefined ? undefined : onDemandUsd * share;
    const baseUsd = facts.spotUsd ? facts.spotUsd(instanceType, zone) : typicalUsd;
    if (baseUsd === undefined) return undefined;
    const capUsd = onDemandUsd ?? Number.POSITIVE_INFINITY;
    return { hash: hashWithSeed(key, seed), baseUsd, capUsd, logDeviation: 0 };
  }

  return {
    price(instanceType, zone) {
      const pool = findPool(instanceType, zone);
      if (!pool) return undefined;
      // Spot never costs more than on-demand, unless somebody plays with prices.
      return roundUsd(Math.min(pool.baseUsd * Math.exp(pool.logDeviation), pool.capUsd) * factor);
    },
    spareCapacity(instanceType, zone, now) {
      const hour = Math.floor(now / (60 * MINUTE_MS));
      return drawFor(seed, `depth ${instanceType} ${zone} ${hour}`);
    },
    step() {
      steps += 1;
      for (const pool of pools.values()) {
        if (!pool) continue;
        const noise = mixBits(pool.hash + Math.imul(steps, GOLDEN_STEP)) / 2 ** 31 - 1;
        pool.logDeviation += VOLATILITY * noise - MEAN_REVERSION * pool.logDeviation;
      }
    },
    multiply(by) {
      factor *= by;
    },
  };
}

/** AWS quotes hundredths of a cent. */
const roundUsd = (usd: number): number => Math.round(usd * 1e4) / 1e4;
