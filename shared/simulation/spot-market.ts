import type { EpochMs } from '../model/time.ts';
import { MINUTE_MS } from '../model/time.ts';
import { drawOf, hashText, mixBits } from './random.ts';
import type { SimCatalogue } from './world.ts';

/** How often spot prices move. */
export const PRICE_STEP_MS = 15 * MINUTE_MS;

/** What spot costs of the on-demand price where the home knows no better. */
const USUAL_SHARE = 0.35;
/** How fast a price returns to what is usual, per step; how far it strays. */
const RETURN = 0.08;
const STRAY = 0.06;

interface Pool {
  readonly hash: number;
  readonly baseUsd: number;
  readonly capUsd: number;
  /** Natural logarithm of the price over `baseUsd`. */
  drift: number;
}

/** A seeded random walk for the price of each type in each zone. */
export interface SpotMarket {
  /** USD per hour; absent where the zone sells none. */
  price(instanceType: string, zone: string): number | undefined;
  /** Between 0, nearly empty, and 1: how much EC2 has to spare. */
  depth(instanceType: string, zone: string, now: EpochMs): number;
  /** Moves every price by one step. */
  step(): void;
  multiply(factor: number): void;
}

export function createSpotMarket(seed: number, facts: SimCatalogue): SpotMarket {
  const pools = new Map<string, Pool | undefined>();
  let steps = 0;
  let factor = 1;

  function poolOf(instanceType: string, zone: string): Pool | undefined {
    const key = `${instanceType} ${zone}`;
    if (!pools.has(key)) pools.set(key, open(instanceType, zone, key));
    return pools.get(key);
  }

  function open(instanceType: string, zone: string, key: string): Pool | undefined {
    const onDemandUsd = facts.onDemandUsd(instanceType);
    const share = USUAL_SHARE * (0.8 + 0.4 * drawOf(seed, `usual ${key}`));
    const usual = onDemandUsd === undefined ? undefined : onDemandUsd * share;
    const baseUsd = facts.spotUsd ? facts.spotUsd(instanceType, zone) : usual;
    if (baseUsd === undefined) return undefined;
    const capUsd = onDemandUsd ?? Number.POSITIVE_INFINITY;
    return { hash: hashText(key, seed), baseUsd, capUsd, drift: 0 };
  }

  return {
    price(instanceType, zone) {
      const pool = poolOf(instanceType, zone);
      if (!pool) return undefined;
      // Spot never costs more than on-demand, unless somebody plays with prices.
      return roundUsd(Math.min(pool.baseUsd * Math.exp(pool.drift), pool.capUsd) * factor);
    },
    depth(instanceType, zone, now) {
      const hour = Math.floor(now / (60 * MINUTE_MS));
      return drawOf(seed, `depth ${instanceType} ${zone} ${hour}`);
    },
    step() {
      steps += 1;
      for (const pool of pools.values()) {
        if (!pool) continue;
        const noise = mixBits(pool.hash + Math.imul(steps, 0x9e3779b9)) / 2 ** 31 - 1;
        pool.drift += STRAY * noise - RETURN * pool.drift;
      }
    },
    multiply(by) {
      factor *= by;
    },
  };
}

/** AWS quotes hundredths of a cent. */
const roundUsd = (usd: number): number => Math.round(usd * 1e4) / 1e4;
