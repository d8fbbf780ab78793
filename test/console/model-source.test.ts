import { describe, expect, it } from 'vitest';
import { createModelSource } from '../../console/model-source.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import type { Decision } from '../../shared/ports/decision-log.ts';
import { aNode, anInitializedClaim, aPod, aRunningPod, aSnapshot, NOON } from '../support/builders.ts';
import { anUnplaced, aPlannedClaim, aProvisioning } from './support/decisions.ts';
import { aLiveFeed } from './support/live-feed.ts';

/** A feed whose frames a test sets one after the other. */
function aFeed(first: Partial<ClusterSnapshot> = {}) {
  let snapshot = aSnapshot(first);
  const decisions: Decision[] = [];
  const feed = aLiveFeed(() => snapshot, decisions);
  return {
    source: createModelSource(feed, { keepEveryMs: 0, maxLoad: Number.POSITIVE_INFINITY }),
    decisions,
    next(over: Partial<ClusterSnapshot>) {
      snapshot = aSnapshot(over);
    },
  };
}

const withNode = {
  claims: [anInitializedClaim('ip-1')],
  nodes: [aNode({ name: 'ip-1' })],
  pods: [aRunningPod('ip-1')],
};

describe('the state of a moment in the past', () => {
  it('is the one that was shown at that moment', async () => {
    const { source, next } = aFeed(withNode);
    await source.state();
    next({ takenAt: NOON + MINUTE_MS });
    const now = await source.state();
    const then = await source.state(NOON + MINUTE_MS - 1);

    expect(now.nodes).toEqual([]);
    expect(then.nodes.map(({ name }) => name)).toEqual(['general-1']);
    expect(then.clock).toEqual({ now: NOON, speed: 1, paused: true });
    expect(then.totals.hourlyUsd['on-demand']).toBe(0.1008);
  });

  it('has the reasons of the decisions until then', async () => {
    const { source, next, decisions } = aFeed({ pods: [aPod()] });
    await source.state();
    decisions.push(aProvisioning({ unplaced: [anUnplaced()] }, { at: NOON + 1_000 }));
    next({ pods: [aPod()], takenAt: NOON + MINUTE_MS });
    await source.state();

    const [then, now] = [await source.state(NOON), await source.state(NOON + MINUTE_MS)];
    expect(then.pending.map(({ status }) => status)).toEqual(['deciding']);
    expect(now.pending.map(({ status }) => status)).toEqual(['blocked']);
  });
});

describe('the explanation of an object that is gone', () => {
  it('is that of its last moment, and says when it was first missing', async () => {
    const { source, next } = aFeed(withNode);
    await source.state();
    next({ takenAt: NOON + MINUTE_MS });
    await source.state();

    const explanation = await source.explain({ kind: 'node', name: 'general-1' });
    expect(explanation).toMatchObject({
      subject: { kind: 'node', name: 'general-1' },
      goneAt: NOON + MINUTE_MS,
    });
    expect(await source.explain({ kind: 'node', name: 'never-1' })).toBeUndefined();
  });

  it('knows the plan that launched a node, although it is older than the history', async () => {
    const { source, next, decisions } = aFeed({ ...withNode, takenAt: NOON + 1_000 });
    decisions.push(aProvisioning({ claims: [aPlannedClaim()] }));
    await source.state();
    next({ takenAt: NOON + MINUTE_MS });
    await source.state();

    const explanation = await source.explain({ kind: 'node', name: 'general-1' });
    expect(explanation?.evidence).toContainEqual({ label: 'chosen', text: 'cheapest of 1 type for 1 pod' });
  });

  it('of a pod names the node that it ran on', async () => {
    const { source, next } = aFeed(withNode);
    await source.state();
    next({ takenAt: NOON + MINUTE_MS });
    await source.state();

    const explanation = await source.explain({ kind: 'pod', name: 'default/web-1' });
    expect(explanation?.verdict).toContain('runs on ip-1');
    expect(explanation?.nodes).toEqual(['general-1']);
  });
});

describe('the timeline', () => {
  it('has a bar for each node, with its end and the word for it, and the cost', async () => {
    const { source, next } = aFeed(withNode);
    await source.state();
    const leaving = { ...anInitializedClaim('ip-1'), deletingAt: NOON, removal: 'Empty' as const };
    next({ ...withNode, claims: [leaving], takenAt: NOON + 30_000 });
    await source.state();
    next({ takenAt: NOON + MINUTE_MS });
    await source.state();

    const timeline = source.timeline({ from: NOON - MINUTE_MS, to: NOON + MINUTE_MS });
    expect(timeline).toMatchObject({ first: NOON, from: NOON, to: NOON + MINUTE_MS });
    expect(timeline.nodes).toMatchObject([
      { name: 'general-1', pool: 'general', goneAt: NOON + MINUTE_MS, why: 'empty' },
    ]);
    expect(timeline.series.points.map(({ hourlyUsd }) => hourlyUsd['on-demand'])).toEqual([0.1008, 0]);
  });
});
