import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { EC2Client } from '@aws-sdk/client-ec2';
import { PricingClient } from '@aws-sdk/client-pricing';
import { S3Client } from '@aws-sdk/client-s3';
import middy from '@middy/core';
import * as z from 'zod/mini';
import { type RefreshDependencies, refreshPrices } from '../../shared/aws/ec2/prices/refresh-prices.ts';
import { s3PriceRecordStore } from '../../shared/aws/ec2/prices/s3-price-record-store.ts';
import { findPricingApi } from '../../shared/ec2/pricing-apis.ts';
import { DECISIONS } from '../../shared/settings/tables/decisions.ts';
import { DEFAULT_TIMEOUTS } from '../support/client-timeouts.ts';
import { type Environment, parseSettings, readTable, TEXT } from '../support/settings.ts';
import { systemClock } from '../support/system-clock.ts';
import { logger } from '../support/telemetry.ts';

const schema = z.object({ AWS_REGION: TEXT, SNAPSHOT_BUCKET: TEXT });

interface RefreshSettings {
  readonly region: string;
  readonly bucket: string;
  /** The part of the account's reserved instances to use; `undefined` if they are not read. */
  readonly accountShare?: number;
}

/** @throws SettingsError - names every variable that is missing or wrong */
function readRefreshSettings(environment: Environment): RefreshSettings {
  const { AWS_REGION: region, SNAPSHOT_BUCKET: bucket } = parseSettings(schema, environment);
  const { committedCapacity: capacity } = DECISIONS;
  const { accountShare } = readTable({ capacity }, environment).capacity ?? {};
  return { region, bucket, ...(accountShare !== undefined && { accountShare }) };
}

const refreshPorts = ({ region, bucket, accountShare }: RefreshSettings): RefreshDependencies => ({
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

const settings = readRefreshSettings(process.env);
const ports = refreshPorts(settings);

/** If one source does not answer, the run fails after the answers of the others are stored. */
export const handler = middy()
  .use(injectLambdaContext(logger))
  .handler(() => refreshPrices(ports, settings.region));
