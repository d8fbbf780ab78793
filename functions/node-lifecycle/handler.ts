import { setTimeout as sleep } from 'node:timers/promises';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { parseHint } from '../../shared/aws/queues/hint-schema.ts';
import { dispatchClaim } from '../../shared/controllers/dispatch.ts';
import { reconcileNodeChange } from '../../shared/controllers/interruption/reconcile.ts';
import type { PortsOf } from '../../shared/ports/hint-senders.ts';
import { eachRecord } from '../support/each-record.ts';
import { endInvocation } from '../support/end-invocation.ts';
import { publishMetrics } from '../support/metrics.ts';
import { portsFrom } from '../support/ports.ts';
import { logger } from '../support/telemetry.ts';
import { timeLimit } from '../support/time-limit.ts';
import { isForLifecycle } from './is-for-lifecycle.ts';

const own: PortsOf<'nodeLifecycle'> = portsFrom(process.env, 'claim');
const ports = { ...own, sleep };

async function onRecord({ body, messageId }: SQSRecord): Promise<void> {
  const hint = parseHint(body);
  // A message that cannot be parsed fails on every retry: acknowledge it and log it.
  if (!hint || !isForLifecycle(hint)) return logger.warn('message ignored', { messageId });

  await (hint.topic === 'claim' ? dispatchClaim(ports, hint) : reconcileNodeChange(ports, hint.notice));
}

export const handler = middy<SQSEvent, SQSBatchResponse>()
  .use(injectLambdaContext(logger))
  .use(timeLimit)
  .use(publishMetrics)
  .use(endInvocation(ports))
  .handler(eachRecord(onRecord));
