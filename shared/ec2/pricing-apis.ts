/** Where the pricing API of a partition is, and in which currency it lists prices. */
export interface PricingApi {
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

/** Finds the pricing API that lists the region; undefined if there is none. */
export const findPricingApi = (region: string): PricingApi | undefined =>
  PRICING_APIS.find(([prefix]) => region.startsWith(prefix))?.[1];
