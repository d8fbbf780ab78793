import type { NodeOverlay, PriceChange } from '../../model/offerings/node-overlay.ts';
import { toResources } from '../../model/quantity.ts';
import type { NodeOverlaySpec } from '../custom-resources/node-overlay.ts';
import { listOverlayFaults } from '../runtime-validation/overlay-faults.ts';
import { readRequirement } from './requirement.ts';

/** Identifies the object. */
type Identity = Pick<NodeOverlay, 'name' | 'uid' | 'generation'>;

/** Reads a stored overlay, also one with faults, which its status must report. */
export function readNodeOverlay(identity: Identity, spec: NodeOverlaySpec): NodeOverlay {
  const price = readPriceChange(spec);
  const fault = listOverlayFaults(spec)
    .map(({ why }) => why)
    .join('; ');
  return {
    ...identity,
    weight: spec.weight ?? 0,
    requirements: spec.requirements.map(readRequirement),
    ...(price && { price }),
    capacity: toResources(spec.capacity ?? {}),
    ...(fault !== '' && { fault }),
  };
}

function readPriceChange({ price, priceAdjustment }: NodeOverlaySpec): PriceChange | undefined {
  if (price !== undefined) return { kind: 'set', usd: Number(price) };
  if (priceAdjustment === undefined) return undefined;
  return priceAdjustment.endsWith('%')
    ? { kind: 'scale', share: Number(priceAdjustment.slice(0, -1)) / 100 }
    : { kind: 'add', usd: Number(priceAdjustment) };
}
