import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { endInvocation } from '../../functions/support/end-invocation.ts';
import type { DecisionLog } from '../../shared/ports/decision-log.ts';
import { aWorld } from '../simulation/support.ts';

const CONTEXT = {} as Context;

const aLog = (flush?: () => Promise<void>): DecisionLog => ({
  recordDecision: async () => {},
  recordConfirmation: async () => {},
  recordEvent: async () => {},
  ...(flush && { flush }),
});

describe('the functions', () => {
  it.each(['a result', 'an error'])('wait for events and close watches before they end with %s', async (end) => {
    const steps: string[] = [];
    const decisionLog = aLog(async () => {
      await Promise.resolve();
      steps.push('flushed');
    });
    const cluster = { ...aWorld().ports.cluster, suspend: () => void steps.push('suspended') };
    const handler = middy<unknown, unknown>()
      .use(endInvocation({ decisionLog, cluster }))
      .handler(async () => {
        steps.push('handled');
        if (end === 'an error') throw new Error('failed');
      });

    const ended = await Promise.allSettled([handler({}, CONTEXT)]);
    expect(ended[0].status).toBe(end === 'an error' ? 'rejected' : 'fulfilled');
    expect(steps).toEqual(['handled', 'flushed', 'suspended']);
  });

  it('end at once if no event is published', async () => {
    const handler = middy<unknown, unknown>()
      .use(endInvocation({ decisionLog: aLog(), cluster: aWorld().ports.cluster }))
      .handler(async () => 'done');

    expect(await handler({}, CONTEXT)).toBe('done');
  });
});
