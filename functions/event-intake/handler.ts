import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { LambdaFunctionURLResult } from 'aws-lambda';
import { signedMessageSender } from '../../shared/aws/queues/signed-messages.ts';
import { sqsWorkQueue } from '../../shared/aws/queues/work-queue.ts';
import { systemClock } from '../support/system-clock.ts';
import { logger } from '../support/telemetry.ts';
import { answerHook, type IntakePorts } from './answer-hook.ts';
import { type HookEvent, hookCallOf } from './hook-call.ts';
import { createHookTokenVerifier } from './hook-token-verifier.ts';
import { readIntakeSettings } from './settings.ts';

const { queues, digests, sender } = readIntakeSettings(process.env);

const ports: IntakePorts = {
  // The intake may not write to the interruption queue: only EventBridge may report interruptions.
  // Node changes go to the claim queue, whose consumer re-reads the state.
  queue: sqsWorkQueue(signedMessageSender(sender), systemClock, { ...queues, interruption: queues.claim }),
  mayEnter: createHookTokenVerifier(digests),
};

export const handler = middy<HookEvent, LambdaFunctionURLResult>()
  .use(injectLambdaContext(logger))
  .handler((event) => answerHook(ports, hookCallOf(event)));
