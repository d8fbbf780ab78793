import { type Filter, type PricingClient, paginateGetProducts } from '@aws-sdk/client-pricing';
import * as z from 'zod';
import { findPricingApi } from '../../../ec2/pricing-apis.ts';

const offerSchema = z.object({
  product: z.object({ attributes: z.object({ instanceType: z.string() }) }),
  terms: z.object({
    OnDemand: z.record(
      z.string(),
      z.object({
        priceDimensions: z.record(z.string(), z.object({ pricePerUnit: z.record(z.string(), z.string()) })),
      }),
    ),
  }),
});

/** JSON texts, each wrapped in a class of the SDK. */
const textsSchema = z.array(z.unknown().transform(String)).default([]);

/** The attributes of the offers that nodes are launched with. */
const LINUX = {
  serviceCode: 'AmazonEC2',
  preInstalledSw: 'NA',
  operatingSystem: 'Linux',
  capacitystatus: 'Used',
  marketoption: 'OnDemand',
};
/** Bare metal is listed as dedicated tenancy only. */
const OFFER_KINDS = [
  { tenancy: 'Shared', productFamily: 'Compute Instance' },
  { tenancy: 'Dedicated', productFamily: 'Compute Instance (bare metal)' },
];

/**
 * Returns the on-demand prices of a region by instance type, per hour, in USD (CNY in China, EUR in the
 * European Sovereign Cloud).
 *
 * @param pricing - the API that lists the region; that of us-east-1 lists GovCloud, but takes credentials of
 *   the standard partition only
 * @throws Error - the pricing API does not answer, or has no price
 */
export async function readOnDemandPrices(
  pricing: PricingClient,
  region: string,
): Promise<Readonly<Record<string, number>>> {
  const currency = findPricingApi(region)?.currency ?? 'USD';
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
  const Filters = Object.entries(attributes).map(([Field, Value]): Filter => ({ Type: 'TERM_MATCH', Field, Value }));
  const pages = paginateGetProducts({ client: pricing, pageSize: 100 }, { ServiceCode: LINUX.serviceCode, Filters });
  const texts: string[] = [];
  for await (const { PriceList } of pages) texts.push(...textsSchema.parse(PriceList));
  return texts;
}

/** Returns nothing for an offer without a price above zero. */
function readPrice(text: string, currency: string): readonly (readonly [string, number])[] {
  const { data } = offerSchema.safeParse(JSON.parse(text));
  if (!data) return [];
  const dimensions = Object.values(data.terms.OnDemand).flatMap(({ priceDimensions }) =>
    Object.values(priceDimensions),
  );
  const hourly = dimensions.map(({ pricePerUnit }) => Number(pricePerUnit[currency])).find((price) => price > 0);
  return hourly === undefined ? [] : [[data.product.attributes.instanceType, hourly]];
}
