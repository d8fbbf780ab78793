import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { sweep } from '../../shared/controllers/sweep.ts';
import { reconcileWebhooks } from '../../shared/controllers/webhooks/reconcile.ts';
import type { PortsOf } from '../../shared/ports/hint-senders.ts';
import { eachRecord } from '../support/each-record.ts';
import { endInvocation } from '../support/end-invocation.ts';
import { metrics, publishMetrics } from '../support/metrics.ts';
import { portsFrom } from '../support/ports.ts';
import { logger } from '../support/telemetry.ts';
import { timeLimit } from '../support/time-limit.ts';
import { deletedClusterFrom } from './deleted-cluster.ts';
import { guardPortsFrom } from './ports.ts';
import { sendOnOrSweep } from './send-on-or-sweep.ts';

const ports: PortsOf<'sweep'> = portsFrom(process.env);
const guard = guardPortsFrom(process.env);
const endDeletedCluster = deletedClusterFrom(process.env, ports);

/** A failed check of the webhooks runs again in a minute; it must not repeat the sweep. */
const guarded = (): Promise<void> =>
  reconcileWebhooks(guard).catch((error: unknown) => logger.error('hooks not guarded', { error }));

/** A deleted cluster has no API server, so this must not depend on the sweep. */
const deletedClusterEnded = (): Promise<void> =>
  endDeletedCluster().catch((error: unknown) => logger.error('deleted cluster not handled', { error }));

/** Waits for all parts, because Lambda freezes the process after the first failure is thrown. */
async function sweepAndGuard(from?: number): Promise<void> {
  const [swept] = await Promise.allSettled([sweep(ports, from), guarded(), deletedClusterEnded()]);
  await ports.cluster.storeView?.();
  if (swept.status === 'rejected') throw swept.reason;
}

export const handler = middy<SQSEvent, SQSBatchResponse>()
  .use(injectLambdaContext(logger))
  .use(timeLimit)
  .use(publishMetrics)
  .use(endInvocation(ports))
  .handler(eachRecord(sendOnOrSweep({ ...ports, telemetry: metrics }, sweepAndGuard)));
