import { setTimeout as sleep } from 'node:timers/promises';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { decideDisruption } from '../../shared/controllers/disruption/decide-disruption.ts';
import { reconcileDisruption } from '../../shared/controllers/disruption/reconcile.ts';
import { OBJECT_MARGIN_MS } from '../../shared/model/settings.ts';
import type { PortsOf } from '../../shared/ports/hint-senders.ts';
import { endInvocation } from '../support/end-invocation.ts';
import { hiderFrom } from '../support/keep-hidden.ts';
import { publishMetrics } from '../support/metrics.ts';
import { onBatch } from '../support/on-batch.ts';
import { portsFrom } from '../support/ports.ts';
import { logger } from '../support/telemetry.ts';

const ports: PortsOf<'disruption'> = portsFrom(process.env, 'cluster', {
  disruption: decideDisruption,
});

const runOnce = onBatch<'disrupt'>(
  { ...ports, sleep, hide: hiderFrom(process.env, 'disrupt') },
  {
    hint: { topic: 'disrupt' },
    // The hook runs before the API server stores the NodePool.
    persistenceMs: OBJECT_MARGIN_MS,
    prepare: async () => ports.cluster.prepare?.(),
    async work() {
      await reconcileDisruption(ports);
      await ports.cluster.storeView?.();
    },
  },
);

export const handler = middy<SQSEvent, SQSBatchResponse>()
  .use(injectLambdaContext(logger))
  .use(publishMetrics)
  .use(endInvocation(ports))
  .handler(runOnce);
