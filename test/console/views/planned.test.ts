import { describe, expect, it } from 'vitest';
import { nodeViews } from '../../../console/views/nodes.ts';
import { plannedSteps } from '../../../console/views/planned.ts';
import { podViews } from '../../../console/views/pods.ts';
import type { DisruptionCommand } from '../../../shared/model/plans.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { aNode, aNodeClaim, aNodePool, anInitializedClaim, aRunningPod, NOON } from '../../support/builders.ts';
import { someFacts } from '../support/facts.ts';

const stepsOf = (over: Parameters<typeof someFacts>[0]) => {
  const facts = someFacts(over);
  return plannedSteps(facts, nodeViews(facts, podViews(facts))).map(({ kind, at, text }) => ({
    kind,
    text,
    ...(at !== undefined && { inMs: at - NOON }),
  }));
};

const busy = {
  claims: [anInitializedClaim('ip-1')],
  nodes: [aNode({ name: 'ip-1' })],
  pods: [aRunningPod('ip-1')],
};

const aCommand = (over: Partial<DisruptionCommand> = {}): DisruptionCommand => ({
  ...{ id: 'd-1', reason: 'Underutilized', decidedAt: NOON - 5 * SECOND_MS },
  ...{ candidates: ['general-1'], replacements: [], placements: [], savingHourlyUsd: 1 },
  ...over,
});

describe('what comes next', () => {
  it('is nothing for a node that runs pods and never expires', () => {
    expect(stepsOf({ snapshot: busy })).toEqual([]);
  });

  it('has a node that starts, without a time if no node has started before', () => {
    expect(stepsOf({ snapshot: { claims: [aNodeClaim()] } })).toEqual([
      { kind: 'ready', text: 'general-1 becomes ready' },
    ]);
  });

  it('has a removal at the time of its second check, once', () => {
    expect(stepsOf({ snapshot: busy, commands: [aCommand()] })).toEqual([
      {
        kind: 'goes',
        text: 'general-1 is removed, if a second check agrees',
        inMs: 10 * SECOND_MS,
      },
    ]);
  });

  it('has a drifted node, which needs no second check', () => {
    expect(stepsOf({ snapshot: busy, commands: [aCommand({ reason: 'Drifted' })] })).toEqual([
      { kind: 'goes', text: 'general-1 is removed' },
    ]);
  });

  it('has the expiry of nodes and the next change of the budgets, the earlier one first', () => {
    const claims = [anInitializedClaim('ip-1', { createdAt: NOON - HOUR_MS, expireAfterMs: 3 * HOUR_MS })];
    const budgets = [{ nodes: '0', schedule: '0 13 * * *', durationMs: HOUR_MS }];
    const pool = aNodePool({
      disruption: { consolidateAfterMs: MINUTE_MS, policy: 'WhenEmpty', budgets },
    });
    expect(stepsOf({ snapshot: { ...busy, claims, pools: [pool] } })).toEqual([
      { kind: 'budget', text: 'budgets of general allow no disruption', inMs: HOUR_MS },
      { kind: 'expires', text: 'general-1 expires', inMs: 2 * HOUR_MS },
    ]);
  });

  it('leaves out what is in the past', () => {
    const claims = [anInitializedClaim('ip-1', { createdAt: NOON - 2 * DAY_MS, expireAfterMs: DAY_MS })];
    expect(stepsOf({ snapshot: { ...busy, claims } })).toEqual([]);
  });
});
