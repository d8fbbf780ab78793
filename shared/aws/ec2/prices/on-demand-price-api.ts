import { type Filter, type PricingClient, paginateGetProducts } from '@aws-sdk/client-pricing';
import * as z from 'zod';

const offerSchema = z.object({
  product: z.object({ attributes: z.object({ instanceType: z.string() }) }),
  terms: z.object({
    OnDemand: z.record(
      z.string(),
      z.object({
        priceDimensions: z.record(
          z.string(),
          z.object({ pricePerUnit: z.record(z.string(), z.string()) }),
        ),
      }),
    ),
  }),
});

/** Texts of JSON, each in a class of the SDK's own. */
const textsSchema = z.array(z.unknown().transform(String)).default([]);

/** What holds of the offers that a node is launched by. */
const LINUX = {
  serviceCode: 'AmazonEC2',
  preInstalledSw: 'NA',
  operatingSystem: 'Linux',
  capacitystatus: 'Used',
  marketoption: 'OnDemand',
};
/** Metal is sold by the dedicated host alone. */
const OFFER_KINDS = [
  { tenancy: 'Shared', productFamily: 'Compute Instance' },
  { tenancy: 'Dedicated', productFamily: 'Compute Instance (bare metal)' },
];

/** The price list lives in four regions; each knows all of its part of the world. */
export function findPricingRegion(region: string): string {
  if (region.startsWith('cn-')) return 'cn-northwest-1';
  if (region.startsWith('ap-')) return 'ap-south-1';
  return region.startsWith('eu-') ? 'eu-central-1' : 'us-east-1';
}

/** Regions of their own, which no price list that they can reach knows. */
const UNLISTED = /^us-(gov|iso)/;

/**
 * On-demand prices of a region by instance type, per hour, in USD (CNY in China); none where there is
 * no list.
 *
 * @throws when the price list does not answer, or has no price at all
 */
export async function readOnDemandPrices(
  pricing: PricingClient,
  region: string,
): Promise<Readonly<Record<string, number>>> {
  if (UNLISTED.test(region)) return {};
  const currency = region.startsWith('cn-') ? 'CNY' : 'USD';
  const lists = await Promise.all(
    OFFER_KINDS.map((kind) => listOffers(pricing, { regionCode: region, ...LINUX, ...kind })),
  );
  const prices = lists.flat().flatMap((text) => readPrice(text, currency));
  if (prices.length === 0) throw new Error(`the price list knows no price in ${region}`);
  return Object.fromEntries(prices);
}

async function listOffers(
  pricing: PricingClient,
  attributes: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const Filters = Object.entries(attributes).map(
    ([Field, Value]): Filter => ({ Type: 'TERM_MATCH', Field, Value }),
  );
  const pages = paginateGetProducts(
    { client: pricing, pageSize: 100 },
    { ServiceCode: LINUX.serviceCode, Filters },
  );
  const texts: string[] = [];
  for await (const { PriceList } of pages) texts.push(...textsSchema.parse(PriceList));
  return texts;
}

/** Nothing, for an offer without a price that can be weighed. */
function readPrice(text: string, currency: string): readonly (readonly [string, number])[] {
  const { data } = offerSchema.safeParse(JSON.parse(text));
  if (!data) return [];
  const dimensions = Object.values(data.terms.OnDemand).flatMap(({ priceDimensions }) =>
    Object.values(priceDimensions),
  );
  const hourly = dimensions
    .map(({ pricePerUnit }) => Number(pricePerUnit[currency]))
    .find((price) => price > 0);
  return hourly === undefined ? [] : [[data.product.attributes.instanceType, hourly]];
}
