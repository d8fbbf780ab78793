import { hashWithSeed, mixBits } from '../../model/hash.ts';
import { drawFor, GOLDEN_STEP } from '../../model/random.ts';
import type { EpochMs } from '../../model/time.ts';
import { MINUTE_MS } from '../../model/time.ts';
import type { SimCatalogue } from '../world.ts';

/** Interval between spot price changes. */
export const PRICE_STEP_MS = 15 * MINUTE_MS;

/** Typical spot price as a share of the on-demand price, if the catalogue has no spot prices. */
const TYPICAL_SPOT_SHARE = 0.35;
/** Per step: the share of a deviation that decays, and the size of the random change. */
const MEAN_REVERSION = 0.08;
const VOLATILITY = 0.06;

interface SpotPool {
  readonly hash: number;
  readonly baseUsd: number;
  readonly capUsd: number;
  /** Natural logarithm of the price over `baseUsd`. */
  logDeviation: number;
}

/** Spot prices by type and zone: a seeded, mean-reverting random walk. */
export interface SimSpotPrices {
  /** USD per hour; `undefined` if the zone does not sell the type as spot. */
  price(instanceType: string, zone: string): number | undefined;
  /** From 0 (nearly empty) to 1: EC2's spare capacity for the type in the zone. */
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
      // Spot costs at most the on-demand price, unless a user action multiplied prices.
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

/** AWS publishes prices in hundredths of a cent. */
const roundUsd = (usd: number): number => Math.round(usd * 1e4) / 1e4;
