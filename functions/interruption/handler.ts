import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { reconcileInterruption } from '../../shared/controllers/interruption/reconcile.ts';
import { joinedLists } from '../../shared/controllers/support/joined-lists.ts';
import { eachRecord } from '../support/each-record.ts';
import { publishMetrics } from '../support/figures.ts';
import { portsFrom } from '../support/ports.ts';
import { logger } from '../support/telemetry.ts';
import { onNotice } from './on-notice.ts';

const own = portsFrom(process.env);
/** Notices come in tens, and for instances of strangers: one look at the claims serves them all. */
const ports = { ...own, nodeClaims: joinedLists(own.nodeClaims) };

export const handler = middy<SQSEvent, SQSBatchResponse>()
  .use(injectLambdaContext(logger))
  .use(publishMetrics)
  .handler(eachRecord(onNotice(ports.clock, (notice) => reconcileInterruption(ports, notice))));
