import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toUserEvents } from '../../../shared/kubernetes/events/cluster-user-events.ts';
import { toDecisionEvents } from '../../../shared/kubernetes/events/decision-user-events.ts';
import { createEventBudget } from '../../../shared/kubernetes/events/event-budget.ts';
import {
  kubernetesEvents,
  rememberLastObservation,
} from '../../../shared/kubernetes/events/kubernetes-events.ts';
import { kubernetesCluster } from '../../../shared/kubernetes/kubernetes-cluster.ts';
import type { ClusterEvent } from '../../../shared/model/explanations/events.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { DecisionLog } from '../../../shared/ports/decision-log.ts';
import { NOON } from '../../support/builders.ts';
import { MISSING_RIGHT } from '../support/answers.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import { aLiveNode, aLiveNodeClaim, aLivePod, COLLECTIONS } from '../support/live-objects.ts';
import { interruption, pending, staying } from './event-samples.ts';

const EVENTS = '/apis/events.k8s.io/v1/events';

describe('the number of Events', () => {
  const chosen = (budget: ReturnType<typeof createEventBudget>, event: ClusterEvent, at: number) =>
    budget.select(toUserEvents(event), at).length;

  it('suppresses the same Event for two minutes', () => {
    const budget = createEventBudget();
    const event: ClusterEvent = { kind: 'unguarded', at: NOON, claim: 'general-1' };

    expect(chosen(budget, event, NOON)).toBe(1);
    expect(chosen(budget, event, NOON + 2 * MINUTE_MS)).toBe(0);
    expect(chosen(budget, event, NOON + 2 * MINUTE_MS + SECOND_MS)).toBe(1);
  });

  it('suppresses Unconsolidatable with another note for 15 minutes', () => {
    const budget = createEventBudget();
    const [first, second] = ['a', 'b'].map((first) =>
      toDecisionEvents(staying('pods-do-not-fit', { first })),
    );

    expect(budget.select(first ?? [], NOON)).toHaveLength(2);
    expect(budget.select(second ?? [], NOON + 14 * MINUTE_MS)).toHaveLength(0);
  });

  it('allows ten nominations at once, then five a second', () => {
    const budget = createEventBudget();
    const nominations = (from: number): ClusterEvent => ({
      kind: 'placed',
      at: NOON,
      targets: ['node-1'],
      pods: Array.from({ length: 30 }, (_, index) => `default/web-${from + index}`),
    });

    expect(chosen(budget, nominations(0), NOON)).toBe(10);
    expect(chosen(budget, nominations(30), NOON + SECOND_MS)).toBe(5);
    expect(chosen(budget, nominations(60), NOON + MINUTE_MS)).toBe(10);
  });

  it('allows 25 for one event, however many pods it concerns', () => {
    const pods = Array.from({ length: 500 }, (_, index) => `default/web-${index}`);

    expect(chosen(createEventBudget(), { ...pending, pods }, NOON)).toBe(25);
  });
});

describe('Events in the cluster', () => {
  let double: ApiDouble;
  let now = NOON;
  const logged: unknown[] = [];
  const decisionLog: DecisionLog = {
    recordEvent: async (event) => {
      logged.push(event);
    },
    recordDecision: async (decision) => {
      logged.push(decision);
    },
    recordConfirmation: async (confirmation) => {
      logged.push(confirmation);
    },
  };
  beforeEach(async () => {
    double = await startApiDouble();
    now = NOON;
    logged.length = 0;
    double.put(COLLECTIONS.pods, aLivePod());
    double.put(COLLECTIONS.nodes, aLiveNode({ metadata: { uid: 'uid-node-1' } }));
    double.put(COLLECTIONS.claims, aLiveNodeClaim({ status: { nodeName: 'node-1' } }));
  });
  afterEach(async () => double.close());

  /** A separate process that has observed the cluster. */
  async function aTeller(): Promise<DecisionLog> {
    const { api } = connect(double);
    const clock = { now: () => now };
    const { cluster, lastObserved } = rememberLastObservation(kubernetesCluster({ api, clock }));
    await cluster.observe();
    return kubernetesEvents({ api, clock, lastObserved }, decisionLog);
  }

  it('refer to the object by its uid, which kubectl describe selects', async () => {
    const teller = await aTeller();

    await teller.recordEvent(pending);

    expect(double.table.list(EVENTS)).toMatchObject([
      {
        metadata: { namespace: 'default' },
        eventTime: '2026-01-01T12:00:00.000000Z',
        reportingController: 'mortise',
        reportingInstance: 'mortise',
        action: 'FailedScheduling',
        reason: 'FailedScheduling',
        regarding: { kind: 'Pod', namespace: 'default', name: 'web-1', uid: 'uid-web-1' },
        note: 'no pool fits',
        type: 'Warning',
      },
    ]);
    expect(double.table.list(EVENTS)[0]?.metadata.name).toMatch(/^web-1\.[0-9a-f]{16}$/);
    expect(logged).toEqual([pending]);
  });

  it.each(['x', 'ü', '語', '😀'])(
    'have notes of at most 1,024 bytes, cut between characters: %s',
    async (character) => {
      const teller = await aTeller();

      await teller.recordEvent({ ...pending, text: character.repeat(1_100) });

      const [event] = double.table.list(EVENTS);
      const note = typeof event?.note === 'string' ? event.note : '';
      const bytes = new TextEncoder().encode(note).length;
      expect(bytes).toBeLessThanOrEqual(1_024);
      expect(bytes).toBeGreaterThan(1_020);
      expect(note.isWellFormed()).toBe(true);
    },
  );

  it('about nodes are in the namespace default', async () => {
    const teller = await aTeller();

    await teller.recordEvent(interruption);

    expect(
      double.table.list(EVENTS).map(({ metadata, regarding }) => ({
        namespace: metadata.namespace,
        regarding,
      })),
    ).toEqual(
      expect.arrayContaining([
        {
          namespace: 'default',
          regarding: { apiVersion: 'v1', kind: 'Node', name: 'node-1', uid: 'uid-node-1' },
        },
        {
          namespace: 'default',
          regarding: {
            apiVersion: 'karpenter.sh/v1',
            kind: 'NodeClaim',
            name: 'general-1',
            uid: 'uid-general-1',
          },
        },
      ]),
    );
  });

  it('are written once by two processes', async () => {
    for (const teller of [await aTeller(), await aTeller()]) await teller.recordEvent(pending);

    expect(double.table.list(EVENTS)).toHaveLength(1);
  });

  it('find a claim that is newer than the last observation', async () => {
    const teller = await aTeller();
    double.put(COLLECTIONS.claims, aLiveNodeClaim({ name: 'general-2' }));

    await teller.recordEvent({ kind: 'unguarded', at: NOON, claim: 'general-2' });

    expect(double.table.list(EVENTS)).toMatchObject([{ regarding: { uid: 'uid-general-2' } }]);
  });

  it('are dropped if they cannot be written, without other effects', async () => {
    const teller = await aTeller();
    double.fail('/events', MISSING_RIGHT);

    await expect(teller.recordEvent(pending)).resolves.toBeUndefined();

    expect(logged).toEqual([pending]);
  });

  it('are not written before the first observation', async () => {
    const { api } = connect(double);
    const parts = { api, clock: { now: () => NOON }, lastObserved: () => undefined };

    await kubernetesEvents(parts, decisionLog).recordDecision(staying('blocked-by-pdb'));

    expect(double.requests).toEqual([]);
    expect(logged).toHaveLength(1);
  });
});
