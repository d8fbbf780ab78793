import { setTimeout as sleep } from 'node:timers/promises';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { decideProvisioning } from '../../shared/controllers/provisioning/decide-provisioning.ts';
import { reconcileProvisioning } from '../../shared/controllers/provisioning/reconcile.ts';
import { POD_MARGIN_MS } from '../../shared/model/settings.ts';
import type { PortsOf } from '../../shared/ports/hint-senders.ts';
import { endInvocation } from '../support/end-invocation.ts';
import { hiderFrom } from '../support/keep-hidden.ts';
import { publishMetrics } from '../support/metrics.ts';
import { onBatch } from '../support/on-batch.ts';
import { portsFrom } from '../support/ports.ts';
import { logger } from '../support/telemetry.ts';
import { timeLimit } from '../support/time-limit.ts';
import { readProvisioningSettings } from './settings.ts';
import { traceLaunches } from './trace-launches.ts';

const own: PortsOf<'provisioning'> = portsFrom(process.env, 'cluster', {
  provisioning: decideProvisioning,
});
const { ports, trace } = traceLaunches(own);
const settings = readProvisioningSettings(process.env);

// Warms the slowest parts of a cold start while the first message is still being delivered.
const firstLook = ports.cluster.observe().then(({ pools }) => ports.cloud.catalogue(pools));
firstLook.catch(() => {});

const runOnce = onBatch<'plan'>(
  { ...ports, sleep, hide: hiderFrom(process.env, 'plan') },
  {
    hint: { topic: 'plan' },
    // kube-scheduler writes the pod's condition right after the Event that triggered the hook.
    persistenceMs: POD_MARGIN_MS,
    prepare: () => Promise.all([ports.cluster.prepare?.(), ports.ownership.claim()]),
    async work(batch) {
      const startedAt = ports.clock.now();
      try {
        await reconcileProvisioning(ports, settings);
      } finally {
        const ms = trace.takeTimes(batch, startedAt);
        if (ms) logger.info('nodes requested', { ms });
      }
    },
  },
);

export const handler = middy<SQSEvent, SQSBatchResponse>()
  .use(injectLambdaContext(logger))
  .use(timeLimit)
  .use(publishMetrics)
  .use(endInvocation(ports))
  .handler(runOnce);
