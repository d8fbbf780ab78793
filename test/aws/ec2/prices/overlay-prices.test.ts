import { describe, expect, it } from 'vitest';
import { createCatalogueReader } from '../../../../shared/aws/ec2/catalogue/ec2-catalogue.ts';
import { withOverlayPrices } from '../../../../shared/aws/ec2/prices/overlay-prices.ts';
import { createPriceList } from '../../../../shared/aws/ec2/prices/price-list.ts';
import { findOnDemandUsd } from '../../../../shared/ec2/catalogue/on-demand-prices.ts';
import type { NodeOverlay } from '../../../../shared/model/offerings/node-overlay.ts';
import { DEFAULT_GATES, DEFAULT_SETTINGS } from '../../../../shared/model/settings.ts';
import { planProvisioning } from '../../../../shared/scheduling/plan-provisioning.ts';
import { aNodeClass, aNodePool, aPod, aPodSpec, aSnapshot, NOON, ZONES } from '../../../support/builders.ts';
import { anImage, aResolvedClass } from '../../../support/node-classes.ts';

const TYPE = 'node.kubernetes.io/instance-type';
const UNPRICED = 'm5.large';
const PRICES = createPriceList({
  zonesOf: () => ZONES,
  spotUsd: () => undefined,
  onDemandUsd: (type) => (type === UNPRICED ? undefined : findOnDemandUsd(type)),
});

const anOverlay = (over: Partial<NodeOverlay> = {}): NodeOverlay => ({
  ...{ name: 'contract', uid: 'contract', generation: 1, weight: 0, capacity: {} },
  requirements: [{ key: TYPE, operator: 'In', values: [UNPRICED] }],
  price: { kind: 'set', usd: 0.5 },
  ...over,
});

const pricesOf = (type: string, ...overlays: readonly NodeOverlay[]) => [
  ...new Set(
    withOverlayPrices(PRICES, overlays)
      .offeringsOf(type)
      .map(({ hourlyUsd }) => hourlyUsd),
  ),
];

describe('a type without a price', () => {
  async function plan(overlays: readonly NodeOverlay[] | undefined) {
    const pool = aNodePool();
    const resolved = aResolvedClass({ images: [anImage()] });
    const read = createCatalogueReader(async () => ({ resolved, nodeClass: aNodeClass() }));
    const catalogue = await read([pool], withOverlayPrices(PRICES, overlays), [], NOON);
    const spec = aPodSpec({ nodeSelector: { [TYPE]: UNPRICED } });
    const gates = { ...DEFAULT_GATES, NodeOverlay: overlays !== undefined };
    const snapshot = aSnapshot({
      pools: [pool],
      pods: [aPod({ spec })],
      ...catalogue,
      settings: { ...DEFAULT_SETTINGS, gates },
      ...(overlays && { overlays }),
    });
    return planProvisioning(snapshot, 'd-1').claims.map(({ cheapest }) => cheapest.hourlyUsd);
  }

  it('is launched at the price of an overlay that names it, and not without one', async () => {
    expect(await plan([anOverlay()])).toEqual([0.5]);
    expect(await plan([])).toEqual([]);
  });

  it('is not launched while the feature gate is off', async () => {
    expect(await plan(undefined)).toEqual([]);
  });

  it('has no price from an overlay with other requirements, a relative price, or a fault', () => {
    const zone = {
      key: 'topology.kubernetes.io/zone',
      operator: 'In',
      values: [ZONES[0]],
    } as const;
    const requirements = [...anOverlay().requirements, zone];

    expect(pricesOf(UNPRICED, anOverlay({ requirements }))).toEqual([]);
    expect(pricesOf(UNPRICED, anOverlay({ price: { kind: 'scale', share: 0.1 } }))).toEqual([]);
    expect(pricesOf(UNPRICED, anOverlay({ fault: 'no' }))).toEqual([]);
  });

  it('has the price of the overlay with the highest weight, at equal weight of the later name', () => {
    const light = anOverlay({ name: 'z', price: { kind: 'set', usd: 1 } });
    const heavy = anOverlay({ name: 'a', weight: 2, price: { kind: 'set', usd: 2 } });
    const later = anOverlay({ name: 'b', weight: 2, price: { kind: 'set', usd: 3 } });

    expect(pricesOf(UNPRICED, heavy, light)).toEqual([2]);
    expect(pricesOf(UNPRICED, later, heavy, light)).toEqual([3]);
  });

  it('does not change the prices of other types, nor the list object while nothing changes', () => {
    const values = [UNPRICED, 'm5.xlarge'];
    const overlay = anOverlay({ requirements: [{ key: TYPE, operator: 'In', values }] });

    expect(pricesOf('m5.xlarge', overlay)).toEqual([findOnDemandUsd('m5.xlarge')]);
    expect(withOverlayPrices(PRICES, [overlay])).toBe(withOverlayPrices(PRICES, [{ ...overlay }]));
    expect(withOverlayPrices(PRICES, [])).toBe(PRICES);
  });
});
