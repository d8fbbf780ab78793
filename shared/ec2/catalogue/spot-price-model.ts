import { fnv1a32 } from '../../model/hash.ts';
import { findEc2Type } from './ec2-types.ts';
import { findOnDemandUsd } from './on-demand-prices.ts';

/** The smallest and largest discount on the on-demand price. */
const DISCOUNTS = { min: 0.55, max: 0.75 } as const;

/** The share of each input in the discount; the sum is 1. */
const WEIGHTS = { family: 0.5, size: 0.25, zone: 0.25 } as const;

/**
 * Returns a spot price for the simulation, in USD per hour: **a model, not a fact**. Real spot
 * prices change and only EC2 knows them. This price is constant, 55 to 75 % below on-demand like
 * most real ones, and differs between zones, so that the choice of a zone matters. It depends only
 * on the names, so it is equal in every run and on every machine.
 *
 * @returns undefined if the type is not sold as spot or has no on-demand price
 */
export function modelSpotUsd(instanceType: string, zone: string): number | undefined {
  const type = findEc2Type(instanceType);
  const onDemand = findOnDemandUsd(instanceType);
  if (!type?.isSpot || onDemand === undefined) return undefined;

  const position =
    WEIGHTS.family * hashToShare(type.family) +
    WEIGHTS.size * hashToShare(instanceType) +
    WEIGHTS.zone * hashToShare(`${instanceType} ${zone}`);
  const discount = DISCOUNTS.min + position * (DISCOUNTS.max - DISCOUNTS.min);
  return Math.round(onDemand * (1 - discount) * 1e6) / 1e6;
}

/** Hashes the text to a pseudo-random number in [0, 1) (FNV-1a, then mixed). */
function hashToShare(text: string): number {
  let hash = fnv1a32(text);
  // Without this step names that differ only in the last letter, as zones do, get close values.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 13), 0x297a2d39);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
