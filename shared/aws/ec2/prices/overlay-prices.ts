import { INSTANCE_TYPE_LABEL } from '../../../model/labels.ts';
import { getOrCreate } from '../../../model/memo.ts';
import type { NodeOverlay } from '../../../model/offerings/node-overlay.ts';
import type { PriceList } from './price-list.ts';

// The planner caches by object identity: equal prices and overlays must return the same object.
const listsByPrices = new WeakMap<PriceList, Map<string, PriceList>>();

/**
 * Adds the prices of NodeOverlays for types that have no other price. Only overlays that set a price
 * and select by instance type alone are used, because their price holds in every zone.
 *
 * @param overlays - undefined while the feature gate is off
 */
export function withOverlayPrices(prices: PriceList, overlays: readonly NodeOverlay[] = []): PriceList {
  const usdByType = readOverlayPrices(overlays);
  if (usdByType.size === 0) return prices;
  const lists = getOrCreate(listsByPrices, prices, () => new Map());
  const key = JSON.stringify([...usdByType]);
  return getOrCreate(lists, key, () => addPrices(prices, usdByType));
}

function addPrices(prices: PriceList, usdByType: ReadonlyMap<string, number>): PriceList {
  return {
    ...prices,
    offeringsOf(instanceType) {
      const offerings = prices.offeringsOf(instanceType);
      const usd = usdByType.get(instanceType);
      return offerings.length > 0 || usd === undefined ? offerings : prices.offeringsAt(instanceType, usd);
    },
  };
}

/**
 * Returns the price by type. The overlay with the highest weight wins; at equal weight, the later
 * name.
 */
function readOverlayPrices(overlays: readonly NodeOverlay[]): ReadonlyMap<string, number> {
  const lightestFirst = overlays.toSorted((a, b) => a.weight - b.weight || (a.name < b.name ? -1 : 1));
  return new Map(
    lightestFirst.flatMap(({ requirements, price, fault }) => {
      const [only, ...others] = requirements;
      const isOfTypes = only?.key === INSTANCE_TYPE_LABEL && only.operator === 'In';
      if (fault !== undefined || price?.kind !== 'set' || !isOfTypes || others.length > 0) return [];
      return (only.values ?? []).map((type) => [type, price.usd] as const);
    }),
  );
}
