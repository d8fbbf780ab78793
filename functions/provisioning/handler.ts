import { setTimeout as sleep } from 'node:timers/promises';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { reconcileProvisioning } from '../../shared/controllers/provisioning/reconcile.ts';
import { publishMetrics } from '../support/figures.ts';
import { onBatch } from '../support/one-turn.ts';
import { portsFrom } from '../support/ports.ts';
import { logger } from '../support/telemetry.ts';
import { readTiming } from '../support/timing.ts';
import { readProvisioningSettings } from './settings.ts';

const ports = portsFrom(process.env);
const timing = readTiming(process.env);
const settings = readProvisioningSettings(process.env);

// What takes longest of a cold start is under way while the first hint is on its way here.
const firstLook = ports.cluster.observe().then(({ pools }) => ports.cloud.catalogue(pools));
firstLook.catch(() => {});

const turn = onBatch(
  { ...ports, sleep },
  {
    hint: { topic: 'plan' },
    bucketMs: timing.bucketMs,
    // The scheduler writes the pod's condition right after the event that woke us.
    persistenceMs: timing.podMarginMs,
    prepare: () => Promise.all([ports.cluster.prepare?.(), ports.ownership.claim()]),
    work: () => reconcileProvisioning(ports, settings),
  },
);

export const handler = middy<SQSEvent, SQSBatchResponse>()
  .use(injectLambdaContext(logger))
  .use(publishMetrics)
  .handler(turn);
