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

/** Where the pricing API of a partition is, and in which currency it lists prices. */
interface PricingApi {
  readonly region: string;
  readonly currency: string;
}

/**
 * By the beginning of the region's name; the first that matches counts. GovCloud has no API of its own,
 * and the credentials of one partition do not count in another.
 *
 * @see the endpoints of `api.pricing` in the AWS SDKs (botocore, data/endpoints.json)
 */
const PRICING_APIS: readonly (readonly [prefix: string, api: PricingApi | undefined])[] = [
  ['us-gov-', undefined],
  ['cn-', { region: 'cn-northwest-1', currency: 'CNY' }],
  ['eusc-', { region: 'eusc-de-east-1', currency: 'EUR' }],
  ['us-isob-', { region: 'us-isob-east-1', currency: 'USD' }],
  ['us-isof-', { region: 'us-isof-south-1', currency: 'USD' }],
  ['us-iso-', { region: 'us-iso-east-1', currency: 'USD' }],
  ['eu-isoe-', { region: 'eu-isoe-west-1', currency: 'USD' }],
  ['ap-', { region: 'ap-south-1', currency: 'USD' }],
  ['eu-', { region: 'eu-central-1', currency: 'USD' }],
  ['', { region: 'us-east-1', currency: 'USD' }],
];

const findPricingApi = (region: string): PricingApi | undefined =>
  PRICING_APIS.find(([prefix]) => region.startsWith(prefix))?.[1];

/** Returns the region of the pricing API that lists the region; undefined if there is none. */
export const findPricingRegion = (region: string): string | undefined =>
  findPricingApi(region)?.region;

/**
 * Returns the on-demand prices of a region by instance type, per hour, in USD (CNY in China, EUR in the
 * European Sovereign Cloud); empty for a region without a price list.
 *
 * @throws Error - the pricing API does not answer, or has no price
 */
export async function readOnDemandPrices(
  pricing: PricingClient,
  region: string,
): Promise<Readonly<Record<string, number>>> {
  const api = findPricingApi(region);
  if (!api) return {};
  const lists = await Promise.all(
    OFFER_KINDS.map((kind) => listOffers(pricing, { regionCode: region, ...LINUX, ...kind })),
  );
  const prices = lists.flat().flatMap((text) => readPrice(text, api.currency));
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

/** Returns nothing for an offer without a price above zero. */
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
