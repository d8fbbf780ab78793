import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import { refreshPrices } from '../../shared/aws/ec2/prices/refresh-prices.ts';
import { logger } from '../support/telemetry.ts';
import { refreshPorts } from './ports.ts';
import { readRefreshSettings } from './settings.ts';

const settings = readRefreshSettings(process.env);
const ports = refreshPorts(settings);

/** If one source does not answer, the run fails after the answers of the others are stored. */
export const handler = middy()
  .use(injectLambdaContext(logger))
  .handler(() => refreshPrices(ports, settings.region));
