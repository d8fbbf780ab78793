import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toUserEvents } from '../../../shared/kubernetes/events/cluster-user-events.ts';
import { toDecisionEvents } from '../../../shared/kubernetes/events/decision-user-events.ts';
import { createEventBudget } from '../../../shared/kubernetes/events/event-budget.ts';
import { rememberObservations } from '../../../shared/kubernetes/events/event-subjects.ts';
import { kubernetesEvents } from '../../../shared/kubernetes/events/kubernetes-events.ts';
import {
  claimKubernetesCluster,
  kubernetesCluster,
  warmKubernetesCluster,
  watchedKubernetesCluster,
} from '../../../shared/kubernetes/kubernetes-cluster.ts';
import type { ClusterEvent } from '../../../shared/model/explanations/events.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { Cluster } from '../../../shared/ports/cluster.ts';
import type { DecisionLog } from '../../../shared/ports/decision-log.ts';
import { NOON } from '../../support/builders.ts';
import { MISSING_RIGHT, refusal } from '../support/answers.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import { aLiveNode, aLiveNodeClaim, aLivePod, aLivePool, COLLECTIONS } from '../support/live-objects.ts';
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

  it('writes a warning with a changed note once while it is suppressed', () => {
    const budget = createEventBudget();
    const tell = (text: string, at: number) => chosen(budget, { ...pending, text }, at);

    expect(tell('not evaluated yet', NOON)).toBe(1);
    expect(tell('not evaluated yet', NOON + SECOND_MS)).toBe(0);
    expect(tell('no subnet has the tag', NOON + 2 * SECOND_MS)).toBe(1);
    expect(tell('no subnet has the label', NOON + 3 * SECOND_MS)).toBe(0);
    expect(tell('no subnet has the label', NOON + 6 * MINUTE_MS)).toBe(1);
  });

  it('suppresses Unconsolidatable with another note for 15 minutes', () => {
    const budget = createEventBudget();
    const [first, second] = ['a', 'b'].map((first) => toDecisionEvents(staying('pods-do-not-fit', { first })));

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
  const dropped: string[] = [];
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
    dropped.length = 0;
    double.put(COLLECTIONS.pods, aLivePod());
    double.put(COLLECTIONS.nodes, aLiveNode({ metadata: { uid: 'uid-node-1' } }));
    double.put(COLLECTIONS.claims, aLiveNodeClaim({ status: { nodeName: 'node-1' } }));
  });
  afterEach(async () => double.close());

  /** A separate process that has observed the cluster. */
  async function aTeller(): Promise<DecisionLog> {
    const { api } = connect(double);
    const clock = { now: () => now };
    const { cluster, observations } = rememberObservations(kubernetesCluster({ api, clock }));
    await cluster.observe();
    const onDropped = (reason: string) => dropped.push(reason);
    return kubernetesEvents({ api, clock, observations, onDropped }, decisionLog);
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

  it('are dropped and counted if they cannot be written, without other effects', async () => {
    const teller = await aTeller();
    double.fail('/events', MISSING_RIGHT);

    await expect(teller.recordEvent(pending)).resolves.toBeUndefined();

    expect(logged).toEqual([pending]);
    expect(dropped).toEqual(['FailedScheduling']);
  });

  it('are not counted as dropped if the namespace of their pod is being deleted', async () => {
    const teller = await aTeller();
    const causes = [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }];
    double.fail('/events', refusal(403, 'Forbidden', 'it is being terminated', causes));

    await teller.recordEvent(pending);
    expect(dropped).toEqual([]);
  });

  it('are not counted as dropped if another process has written them', async () => {
    for (const teller of [await aTeller(), await aTeller()]) await teller.recordEvent(pending);

    expect(dropped).toEqual([]);
  });

  const RUNTIMES = {
    'functions that read one claim': claimKubernetesCluster,
    'functions that read the cluster': warmKubernetesCluster,
    'mortise controller': watchedKubernetesCluster,
  };
  const OBSERVATIONS = {
    nothing: async () => {},
    'the claim': async (cluster: Cluster) => {
      await cluster.observeClaim?.({ claim: 'general-1' });
    },
    'the cluster': async (cluster: Cluster) => {
      await cluster.observe();
    },
  };
  const cases = Object.entries(RUNTIMES).flatMap(([name, create]) =>
    Object.entries(OBSERVATIONS).map(([observed, observe]) => ({
      name,
      create,
      observed,
      observe,
    })),
  );

  it.each(cases)(
    'are written on each kind of object by $name that have observed $observed',
    async ({ create, observe }) => {
      double.put(COLLECTIONS.pools, aLivePool());
      const { api } = connect(double);
      const clock = { now: () => now };
      const { close = () => {}, ...runtime }: Runtime = create({ api, clock });
      const { cluster, observations } = rememberObservations<Cluster>(runtime);
      await observe(cluster);
      const teller = kubernetesEvents({ api, clock, observations }, decisionLog);
      const zone = { zone: 'us-east-1a', zoneId: 'use1-az1' };

      await teller.recordEvent({ ...EVICTION, at: NOON });
      await teller.recordEvent(interruption);
      await teller.recordEvent({
        ...{ kind: 'zonal-shift-active', at: NOON, pool: 'general', until: NOON, ...zone },
      });
      cluster.suspend?.();
      close();

      const written = double.table.list(EVENTS).map(({ reason, regarding }) => JSON.stringify([reason, regarding]));
      expect(written).toHaveLength(EXPECTED.length);
      for (const [reason, uid] of EXPECTED) {
        expect(written.filter((one) => one.includes(reason) && one.includes(`"${uid}"`))).toHaveLength(1);
      }
    },
  );

  it('are not written about objects that do not exist', async () => {
    const teller = await aTeller();

    await teller.recordEvent({ kind: 'unguarded', at: NOON, claim: 'general-9' });

    expect(double.table.list(EVENTS)).toEqual([]);
    expect(dropped).toEqual([]);
  });
});

type Runtime = Cluster & { readonly close?: () => void };

const EXPECTED = [
  ['Evicted', 'uid-web-1'],
  ['SpotInterrupted', 'uid-general-1'],
  ['SpotInterrupted', 'uid-node-1'],
  ['TerminatingOnInterruption', 'uid-general-1'],
  ['TerminatingOnInterruption', 'uid-node-1'],
  ['ZonalShiftActive', 'uid-general'],
] as const;

const EVICTION = {
  kind: 'evicted',
  claim: 'general-1',
  node: 'node-1',
  pod: 'default/web-1',
  reason: 'Drifted',
} as const;
