import { describe, expect, it } from 'vitest';
import {
  computeRolloutProgress,
  describeRollout,
  type RolloutFacts,
} from '../../shared/disruption/rollout/rollout-progress.ts';
import type { NodeClassState } from '../../shared/model/nodes/drift.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import type { Budget } from '../../shared/model/nodes/node-pool.ts';
import type { PodDisruptionBudget } from '../../shared/model/pods/workload.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import {
  aLaunch,
  anInitializedClaim,
  aPodDisruptionBudget,
  aRunningPod,
  aSelector,
  NOON,
} from '../support/builders.ts';
import { anImage } from '../support/node-classes.ts';
import { willing } from './fleet.ts';

const STARTED = NOON - 30 * MINUTE_MS;
const drift = { reason: 'AMIDrift', text: 'image', since: STARTED } as const;

const drifted = (count: number, over: Partial<NodeClaim> = {}): readonly NodeClaim[] =>
  Array.from({ length: count }, (_, index) =>
    anInitializedClaim(`old-${index}`, { name: `old-${index}`, drift, ...over }),
  );
/** Nodes that became ready at these minutes of the rollout. */
const replacements = (...minutes: readonly number[]): readonly NodeClaim[] =>
  minutes.map((minute) =>
    anInitializedClaim(`new-${minute}`, {
      name: `new-${minute}`,
      createdAt: STARTED,
      initializedAt: STARTED + minute * MINUTE_MS,
    }),
  );

function progressOf(
  claims: readonly NodeClaim[],
  budgets: readonly Budget[] = [{ nodes: '2' }],
  facts: Partial<RolloutFacts> = {},
) {
  return computeRolloutProgress(willing({ budgets }), { claims, takenAt: NOON, ...facts });
}

describe('the progress of a rollout', () => {
  it('is undefined if no node has drifted', () => {
    expect(progressOf(replacements(1, 2, 3))).toBeUndefined();
  });

  it('counts nodes that are drained for drift as remaining, and other leaving nodes not at all', () => {
    const claims = [
      ...drifted(2),
      ...drifted(1, { deletingAt: NOON, removal: 'Drifted' }),
      ...drifted(1, { deletingAt: NOON, removal: 'Expired' }),
      ...replacements(5),
    ];

    expect(progressOf(claims)).toMatchObject({ remaining: 3, current: 1 });
  });

  it.each([
    ['as many replacements as the budget allows', '2', 11],
    ['a replacement for each drifted node, if no budget allows fewer', '100%', 12],
  ])('counts at the peak all nodes, and %s', (_, nodes, peakNodes) => {
    const claims = [...drifted(3), ...replacements(1, 2, 3, 4, 5, 6)];

    expect(progressOf(claims, [{ nodes }])).toMatchObject({ peakNodes });
  });

  it('takes five minutes for as many nodes as the budget allows at first', () => {
    expect(progressOf(drifted(6))?.remainingMs).toBe(15 * MINUTE_MS);
  });

  it('goes on at the pace of the last replacements', () => {
    const claims = [...drifted(6), ...replacements(1, 4, 7, 10)];

    expect(progressOf(claims)?.remainingMs).toBe(18 * MINUTE_MS);
  });

  it('does not measure its pace by nodes that pods were waiting for', () => {
    const waited = replacements(1, 2, 3).map((claim) => ({ ...claim, podsWaitedSince: STARTED }));

    expect(progressOf([...drifted(6), ...waited])?.remainingMs).toBe(15 * MINUTE_MS);
  });

  it('waits until the budgets open', () => {
    const closed = { nodes: '0', schedule: '0 9 * * *', durationMs: 4 * HOUR_MS };

    expect(progressOf(drifted(6), [{ nodes: '2' }, closed])).toEqual({
      remaining: 6,
      current: 0,
      peakNodes: 8,
      resumesAt: NOON + HOUR_MS,
      remainingMs: HOUR_MS + 15 * MINUTE_MS,
    });
  });

  it('continues in the next window with what a window is too short for', () => {
    // Open from 11 to 12:10 only; in ten minutes four of six nodes are replaced.
    const closed = {
      nodes: '0',
      schedule: '10 12 * * *',
      durationMs: 22 * HOUR_MS + 50 * MINUTE_MS,
    };

    expect(progressOf(drifted(6), [{ nodes: '2' }, closed])?.remainingMs).toBe(23 * HOUR_MS + 5 * MINUTE_MS);
  });

  it('has no time if budgets never open', () => {
    expect(progressOf(drifted(6), [{ nodes: '0' }])).toEqual({
      remaining: 6,
      current: 0,
      peakNodes: 6,
    });
  });

  it('waits for the back-off after a failed replacement', () => {
    const driftRests = { general: NOON + 10 * MINUTE_MS };

    expect(progressOf(drifted(2), undefined, { driftRests })).toMatchObject({
      resumesAt: NOON + 10 * MINUTE_MS,
      remainingMs: 15 * MINUTE_MS,
    });
  });

  it('is stopped while the present version is', () => {
    const launch = aLaunch({ imageId: 'ami-1', nodeClassHash: 'h' });
    const stopped = { nodeClass: 'default', claim: 'x', why: 'x did not register', at: NOON };
    const nodeClass: NodeClassState = {
      name: 'default',
      hash: 'h',
      subnets: [],
      securityGroups: [],
      images: [anImage({ id: 'ami-2', requirements: [] })],
    };
    const of = (version: string) =>
      progressOf(drifted(2, { launch }), undefined, {
        nodeClasses: [{ ...nodeClass, stopped: { ...stopped, version } }],
      });

    expect(of('ami-2/h')).toEqual({ remaining: 2, current: 0, stopped: stopped.why });
    expect(of('ami-old/h')).not.toHaveProperty('stopped');
  });
});

describe('a rollout with nodes that no change by itself will free', () => {
  const node = 'old-0';
  const pod = aRunningPod(node, { name: 'guarded-1', labels: { app: 'guarded' } });
  const budget = (over: Partial<PodDisruptionBudget>): PodDisruptionBudget =>
    aPodDisruptionBudget({
      name: 'guarded',
      selector: aSelector({ app: 'guarded' }),
      disruptionsAllowed: 0,
      ...over,
    });
  const never = { podDisruptionBudgets: [budget({ maxUnavailable: '0' })], pods: [pod] };
  const kept = { ...pod, annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };

  it('leaves them out of the estimate, and names them', () => {
    const progress = progressOf(drifted(3), [{ nodes: '1' }], never);

    expect(progress?.remainingMs).toBe(10 * MINUTE_MS);
    expect(progress && describeRollout(progress)).toBe(
      '3 nodes to replace, 0 up to date, up to 4 nodes at a time; about 10m to go for the others; 1 of 3 is blocked: default/guarded allows 0 disruptions (maxUnavailable 0, healthy 1) (old-0)',
    );
  });

  it('has no estimate if all are blocked', () => {
    const progress = progressOf(drifted(1), undefined, { pods: [kept] });

    expect(progress && describeRollout(progress)).toBe(
      '1 node to replace, 0 up to date; 1 of 1 is blocked: pod default/guarded-1 carries do-not-disrupt until it is removed (old-0)',
    );
  });

  it.each<[string, Partial<NodeClaim>, Partial<RolloutFacts>]>([
    ['a budget that allows none for now', {}, { ...never, podDisruptionBudgets: [budget({ maxUnavailable: '1' })] }],
    [
      'a restart of the Deployment',
      {},
      { ...never, pods: [{ ...pod, annotations: { 'mortise.sh/restart-when-blocked': 'true' } }] },
    ],
    ['a terminationGracePeriod', { terminationGracePeriodMs: HOUR_MS }, never],
  ])('does not count a node with %s as blocked', (_, claim, facts) => {
    expect(progressOf(drifted(1, claim), undefined, facts)).not.toHaveProperty('blocked');
  });
});

describe('the sentence about a rollout', () => {
  it('has the counts and the remaining time, in whole minutes', () => {
    const counts = { remaining: 8, current: 12 };

    const remainingMs = 11 * MINUTE_MS + SECOND_MS;
    expect(describeRollout({ ...counts, peakNodes: 22, remainingMs })).toBe(
      '8 nodes to replace, 12 up to date, up to 22 nodes at a time; about 12m to go',
    );
    expect(describeRollout({ remaining: 1, current: 0, stopped: 'x did not register' })).toBe(
      '1 node to replace, 0 up to date; stopped: x did not register',
    );
    expect(describeRollout({ ...counts, resumesAt: NOON + HOUR_MS, remainingMs: 2 * HOUR_MS })).toBe(
      '8 nodes to replace, 12 up to date; goes on at 2026-01-01T13:00:00Z, about 2h to go',
    );
    expect(describeRollout(counts)).toBe('8 nodes to replace, 12 up to date; more than a week to go');
  });
});
