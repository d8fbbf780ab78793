import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEventBudget, eventKey } from '../../../shared/kubernetes/events/event-budget.ts';
import {
  kubernetesEvents,
  rememberLastObservation,
} from '../../../shared/kubernetes/events/kubernetes-events.ts';
import {
  toDecisionEvents,
  toUserEvents,
  type UserEvent,
} from '../../../shared/kubernetes/events/user-events.ts';
import { kubernetesCluster } from '../../../shared/kubernetes/kubernetes-cluster.ts';
import type { ClusterEvent } from '../../../shared/model/explanations/events.ts';
import type { Reason } from '../../../shared/model/explanations/reasons.ts';
import type { NodeVerdict } from '../../../shared/model/plans.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { Decision, DecisionLog } from '../../../shared/ports/decision-log.ts';
import { NOON } from '../../support/builders.ts';
import { refusal } from '../support/answers.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import { aLiveNode, aLiveNodeClaim, aLivePod, COLLECTIONS } from '../support/live-objects.ts';

const EVENTS = '/apis/events.k8s.io/v1/events';
const POD = 'default/web-1';
const ZONE = { zone: 'us-east-1a', zoneId: 'use1-az1' };
const pending: ClusterEvent = { kind: 'unplaced', at: NOON, pods: [POD], text: 'no pool fits' };
const interruption: ClusterEvent = {
  kind: 'interruption',
  at: NOON,
  claim: 'general-1',
  deadline: NOON + 2 * MINUTE_MS,
};

const staying = (code: NodeVerdict['reason']['code'], fields = {}): Decision => ({
  kind: 'disruption',
  id: 'd-1',
  at: NOON,
  plan: { verdicts: [{ claim: 'general-1', outcome: 'stays', reason: { code, fields } }] },
});

const unplaced = (reason: Reason): Decision => ({
  kind: 'provisioning',
  id: 'p-1',
  at: NOON,
  plan: {
    claims: [],
    placements: [],
    unplaced: [{ pods: [POD], pools: [{ pool: 'general', reasons: [reason] }], nodes: [] }],
    hourlyUsd: 0,
  },
});

const brief = (event: UserEvent): string => `${event.type} ${eventKey(event)}`;

describe('Events for users, in the terms of Karpenter', () => {
  it.each<[ClusterEvent, string[]]>([
    [pending, [`Warning FailedScheduling Pod ${POD}`]],
    [
      { kind: 'placed', at: NOON, pods: [POD], targets: ['node-1'] },
      [`Normal Nominated Pod ${POD}`],
    ],
    [
      { kind: 'unavailable', at: NOON, claim: 'general-1', offerings: [], until: NOON },
      ['Warning InsufficientCapacityError NodeClaim general-1'],
    ],
    [
      interruption,
      [
        'Warning SpotInterrupted NodeClaim general-1',
        'Warning TerminatingOnInterruption NodeClaim general-1',
        'Warning SpotInterrupted Node general-1',
        'Warning TerminatingOnInterruption Node general-1',
      ],
    ],
    [
      { kind: 'zonal-shift-active', at: NOON, pool: 'general', until: NOON, ...ZONE },
      ['Warning ZonalShiftActive NodePool general us-east-1a'],
    ],
    [
      { kind: 'zonal-shift-cleared', at: NOON, pool: 'general', ...ZONE },
      ['Normal ZonalShiftCleared NodePool general us-east-1a'],
    ],
    [{ kind: 'draining', at: NOON, claim: 'general-1', pods: 3 }, []],
    [
      { kind: 'draining', at: NOON, claim: 'general-1', pods: 3, deadline: NOON },
      [
        'Warning TerminationGracePeriodExpiring NodeClaim general-1',
        'Warning TerminationGracePeriodExpiring Node general-1',
      ],
    ],
    [
      { kind: 'eviction-refused', at: NOON, pod: POD, pdb: 'web' },
      [`Warning FailedDraining Pod ${POD}`],
    ],
    [
      { kind: 'eviction-failed', at: NOON, pod: POD, why: 'denied' },
      [`Warning FailedDraining Pod ${POD}`],
    ],
    [
      {
        kind: 'drain-stuck',
        at: NOON,
        claim: 'general-1',
        text: 'a pod stays',
        blockers: [{ pod: POD, why: 'it stays', remedy: 'remove it' }],
      },
      [
        'Warning FailedDraining NodeClaim general-1',
        'Warning FailedDraining Node general-1',
        `Warning FailedDraining Pod ${POD}`,
      ],
    ],
    [
      { kind: 'volumes-attached', at: NOON, claim: 'general-1', volumes: 'csi-1' },
      ['Normal AwaitingVolumeDetachment Node general-1'],
    ],
    [
      { kind: 'unguarded', at: NOON, claim: 'general-1' },
      ['Warning UnregisteredTaintMissing NodeClaim general-1'],
    ],
    [
      { kind: 'node-missing', at: NOON, claim: 'general-1', since: NOON },
      ['Warning NodeMissing NodeClaim general-1'],
    ],
    [
      {
        kind: 'evicted',
        at: NOON,
        claim: 'general-1',
        node: 'node-1',
        pod: POD,
        reason: 'Drifted',
      },
      [`Normal Evicted Pod ${POD}`],
    ],
    [
      {
        kind: 'pod-deleted',
        at: NOON,
        claim: 'general-1',
        node: 'node-1',
        pod: POD,
        reason: 'Interrupted',
        deadline: NOON + MINUTE_MS,
        grantedMs: MINUTE_MS,
        wantedMs: 5 * MINUTE_MS,
      },
      [`Normal Disrupted Pod ${POD}`],
    ],
    [
      {
        kind: 'replacement-requested',
        at: NOON,
        claim: 'general-2',
        replaces: ['general-1'],
        reason: 'Drifted',
      },
      [
        'Normal DisruptionLaunching NodeClaim general-2',
        'Normal DisruptionWaitingReadiness NodeClaim general-2',
      ],
    ],
    [
      { kind: 'consolidation-dropped', at: NOON, claims: ['general-1'] },
      [
        'Normal ConsolidationRejected NodeClaim general-1',
        'Normal ConsolidationRejected Node general-1',
      ],
    ],
    [
      { kind: 'class-in-use', at: NOON, nodeClass: 'default', uid: 'c-1', claims: ['general-1'] },
      ['Normal WaitingOnNodeClaimTermination EC2NodeClass default'],
    ],
    [
      {
        kind: 'remove',
        at: NOON,
        claims: ['general-1'],
        pods: 1,
        savingHourlyUsd: 1,
        balanced: true,
      },
      [
        'Normal ConsolidationApproved NodeClaim general-1',
        'Normal DisruptionTerminating NodeClaim general-1',
        'Normal ConsolidationApproved Node general-1',
        'Normal DisruptionTerminating Node general-1',
      ],
    ],
    [{ kind: 'terminated', at: NOON, claim: 'general-1', livedMs: 1 }, []],
  ])('are written for %o', (event, expected) => {
    expect(toUserEvents(event).map(brief)).toEqual(expected);
  });

  it('report a pool whose budget allows no disruption', () => {
    const fields = { pool: 'general', reason: 'Drifted', allowed: '0' };

    expect(toDecisionEvents(staying('budget-exhausted', fields)).map(brief)).toContain(
      'Normal DisruptionBlocked NodePool general Drifted',
    );
    expect(
      toDecisionEvents(staying('budget-exhausted', { ...fields, allowed: '2' })).map(brief),
    ).not.toContain('Normal DisruptionBlocked NodePool general Drifted');
  });

  it.each([
    ['pool-has-no-types', 'whatever', 'NoCompatibleInstanceTypes'],
    ['pool-not-ready', 'NodeClassNotFound', 'NodeClassNotFound'],
    ['pool-not-ready', 'NodeClassTerminating', 'NodeClassNotReady'],
  ] as const)('report a NodePool that cannot launch: %s, %s', (code, condition, expected) => {
    const decision = unplaced({ code, fields: { condition } });

    expect(toDecisionEvents(decision).map(brief)).toEqual([`Warning ${expected} NodePool general`]);
  });

  it('report a NodePool whose own types do not meet its minValues', () => {
    const report = (fields: Readonly<Record<string, string>>) =>
      toDecisionEvents(unplaced({ code: 'min-values-unmet', fields }));

    expect(report({ wanted: '3', found: '1', ofPool: '1' })).toMatchObject([
      {
        reason: 'NoCompatibleInstanceTypes',
        note: 'NodePool requirements filtered out all compatible available instance types due to minValues incompatibility',
      },
    ]);
    expect(report({ wanted: '3', found: '1' })).toEqual([]);
  });

  it.each([
    ['blocked-by-pdb', 'DisruptionBlocked'],
    ['no-cheaper-replacement', 'Unconsolidatable'],
  ] as const)('explain a node that stays: %s', (code, reason) => {
    expect(toDecisionEvents(staying(code)).map(brief)).toEqual([
      `Normal ${reason} NodeClaim general-1`,
      `Normal ${reason} Node general-1`,
    ]);
  });

  it('are not written for a node that is not due yet', () => {
    expect(toDecisionEvents(staying('consolidate-after'))).toEqual([]);
  });
});

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
    double.fail('/events', refusal(403, 'Forbidden', 'no'));

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
