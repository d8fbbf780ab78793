import { describe, expect, it } from 'vitest';
import { advance } from '../../shared/lifecycle/advance.ts';
import {
  type ConsolidationFacts,
  computeNextTracking,
  trackConsolidation,
} from '../../shared/lifecycle/consolidatable.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import { HOUR_MS, SECOND_MS } from '../../shared/model/time.ts';
import { aNode, aNodePool, anInitializedClaim, NOON } from '../support/builders.ts';

const at = (seconds: number): number => NOON + seconds * SECOND_MS;
const poolWith = (consolidateAfterMs: number | 'Never', replicas?: number) =>
  aNodePool({
    disruption: { consolidateAfterMs, policy: 'WhenEmptyOrUnderutilized', budgets: [] },
    ...(replicas !== undefined && { replicas }),
  });
const quietFor30s = poolWith(30 * SECOND_MS);

/** Initialized at noon, without pod events. */
const { lastPodEventAt: _, ...initialized } = anInitializedClaim('node-1');
const since = (claim: NodeClaim, facts: ConsolidationFacts) => trackConsolidation(claim, facts).consolidatableSince;

describe('the mark of a claim that consolidation may consider', () => {
  it.each<readonly [string, NodeClaim, ConsolidationFacts, number | undefined]>([
    ['20 s of 30 s have passed', initialized, { now: at(20), pool: quietFor30s }, undefined],
    ['30 s of 30 s have passed', initialized, { now: at(30), pool: quietFor30s }, at(30)],
    ['no time has to pass', initialized, { now: at(0), pool: poolWith(0) }, at(0)],
    [
      'a pod left 5 s ago, which only this process knows',
      { ...initialized, initializedAt: NOON - HOUR_MS },
      { now: at(5), lastPodEventAt: at(0), pool: quietFor30s },
      undefined,
    ],
    [
      'a pod left 5 s ago, which only the record says',
      { ...initialized, initializedAt: NOON - HOUR_MS, lastPodEventAt: at(0) },
      { now: at(5), pool: quietFor30s },
      undefined,
    ],
    ['the pool is never consolidated', initialized, { now: at(60), pool: poolWith('Never') }, undefined],
    ['the pool is static', initialized, { now: at(60), pool: poolWith(0, 3) }, undefined],
    ['its pool is gone', initialized, { now: at(60) }, undefined],
    ['it is being deleted', { ...initialized, deletingAt: at(1) }, { now: at(60), pool: quietFor30s }, undefined],
  ])('is as expected if %s', (_name, claim, facts, expected) => {
    expect(since(claim, facts)).toBe(expected);
  });

  it.each<readonly [string, Partial<NodeClaim>, ConsolidationFacts]>([
    ['a pod is bound', {}, { now: at(41), lastPodEventAt: at(41), pool: quietFor30s }],
    ['the pool gets the value Never', {}, { now: at(41), pool: poolWith('Never') }],
    ['the pool becomes static', {}, { now: at(41), pool: poolWith(0, 3) }],
    ['the pool gets a longer time', {}, { now: at(41), pool: poolWith(HOUR_MS) }],
  ])('is removed when %s', (_name, over, facts) => {
    const marked = { ...initialized, consolidatableSince: at(30), ...over };
    expect(trackConsolidation(marked, facts)).not.toHaveProperty('consolidatableSince');
  });

  it('keeps its time while nothing changes', () => {
    const marked = { ...initialized, consolidatableSince: at(30) };
    expect(trackConsolidation(marked, { now: at(60), pool: quietFor30s })).toBe(marked);
  });

  it('is set by the step of the claim, which wakes up for it', () => {
    const observed = { now: at(20), pool: quietFor30s, nodes: [aNode()], pods: [] };
    expect(advance(initialized, observed).wakeAt).toBe(at(30));
    expect(advance(initialized, { ...observed, now: at(30) }).claim).toMatchObject({
      consolidatableSince: at(30),
    });
  });
});

describe('the stored time of the last pod event', () => {
  const stored = { ...initialized, lastPodEventAt: at(0) };
  const timeAfter = (now: number, lastPodEventAt: number) =>
    trackConsolidation(stored, { now, lastPodEventAt }).lastPodEventAt;

  it('is replaced at most every 10 s', () => {
    expect(timeAfter(at(9), at(9))).toBe(at(0));
    expect(timeAfter(at(11), at(11))).toBe(at(11));
  });

  it('is replaced later by an event that came too early, without a new event', () => {
    const facts = { now: at(9), lastPodEventAt: at(9) };
    expect(computeNextTracking(stored, facts)).toBe(at(10));
    expect(timeAfter(at(10), at(9))).toBe(at(9));
  });

  it('never goes back', () => {
    expect(timeAfter(at(60), NOON - HOUR_MS)).toBe(at(0));
  });

  it('is also kept for a node that is registered and not initialized yet', () => {
    const { initializedAt: __, ...registered } = initialized;
    const tracked = trackConsolidation(registered, { now: at(1), lastPodEventAt: at(1) });
    expect(tracked.lastPodEventAt).toBe(at(1));
  });
});
