import { fnv1a32 } from '../../model/hash.ts';
import { findEc2Type } from './ec2-types.ts';
import { findOnDemandUsd } from './on-demand-prices.ts';

/** The least and the most that the model takes off the on-demand price. */
const DISCOUNTS = { least: 0.55, most: 0.75 } as const;

/** How much of the range each part of an offering decides; together 1. */
const WEIGHTS = { family: 0.5, size: 0.25, zone: 0.25 } as const;

/**
 * A spot price for the simulation, USD per hour: **a model, not a fact**. Real spot prices move with
 * supply and are known only to those who ask EC2. This one never moves, lies 55 to 75 % below
 * on-demand as most do, and differs between zones, as real ones do, so that the choice of a zone
 * matters. It follows from the names alone: the same in every run and on every machine.
 *
 * Absent: not sold as spot, or no on-demand price to start from.
 */
export function modelSpotUsd(instanceType: string, zone: string): number | undefined {
  const type = findEc2Type(instanceType);
  const onDemand = findOnDemandUsd(instanceType);
  if (!type?.isSpot || onDemand === undefined) return undefined;

  const position =
    WEIGHTS.family * share(type.family) +
    WEIGHTS.size * share(instanceType) +
    WEIGHTS.zone * share(`${instanceType} ${zone}`);
  const discount = DISCOUNTS.least + position * (DISCOUNTS.most - DISCOUNTS.least);
  return Math.round(onDemand * (1 - discount) * 1e6) / 1e6;
}

/** A number in [0, 1) that looks random and depends on the text only (FNV-1a, then mixed). */
function share(text: string): number {
  let hash = fnv1a32(text);
  // Without this step names that differ in their last letter, as zones do, land close together.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 13), 0x297a2d39);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
