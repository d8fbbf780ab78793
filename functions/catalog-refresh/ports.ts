import { EC2Client } from '@aws-sdk/client-ec2';
import { PricingClient } from '@aws-sdk/client-pricing';
import { S3Client } from '@aws-sdk/client-s3';
import type { RefreshDependencies } from '../../shared/aws/ec2/prices/refresh-prices.ts';
import { s3PriceRecordStore } from '../../shared/aws/ec2/prices/s3-price-record-store.ts';
import { findPricingApi } from '../../shared/ec2/pricing-apis.ts';
import { DEFAULT_TIMEOUTS } from '../support/client-timeouts.ts';
import { systemClock } from '../support/system-clock.ts';
import { logger } from '../support/telemetry.ts';
import type { RefreshSettings } from './settings.ts';

export const refreshPorts = ({ region, bucket, accountShare }: RefreshSettings): RefreshDependencies => ({
  ec2: new EC2Client(DEFAULT_TIMEOUTS),
  ...createPricing(findPricingApi(region)?.region),
  ...(accountShare !== undefined && { accountShare }),
  store: s3PriceRecordStore(new S3Client(DEFAULT_TIMEOUTS), bucket),
  clock: systemClock,
  log: ({ level, message, fields }) => logger[level](message, { ...fields }),
});

/** Isolated VPCs have prices too: this function runs outside of the VPC. GovCloud has no price list API. */
const createPricing = (region: string | undefined): Pick<RefreshDependencies, 'pricing'> =>
  region === undefined ? {} : { pricing: new PricingClient({ ...DEFAULT_TIMEOUTS, region }) };
