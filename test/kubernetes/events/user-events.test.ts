import { describe, expect, it } from 'vitest';
import { toUserEvents } from '../../../shared/kubernetes/events/cluster-user-events.ts';
import { toDecisionEvents } from '../../../shared/kubernetes/events/decision-user-events.ts';
import { eventKey } from '../../../shared/kubernetes/events/event-budget.ts';
import type { UserEvent } from '../../../shared/kubernetes/events/user-events.ts';
import { severityOf } from '../../../shared/model/explanations/event-kinds.ts';
import type { ClusterEvent } from '../../../shared/model/explanations/events.ts';
import type { Reason, ReasonCode } from '../../../shared/model/explanations/reasons.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import type { Decision } from '../../../shared/ports/decision-log.ts';
import { NOON } from '../../support/builders.ts';
import { interruption, POD, pending, staying } from './event-samples.ts';

const ZONE = { zone: 'us-east-1a', zoneId: 'use1-az1' };

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
    [{ kind: 'placed', at: NOON, pods: [POD], targets: ['node-1'] }, [`Normal Nominated Pod ${POD}`]],
    [
      { kind: 'pods-set-aside', at: NOON, pods: [POD], podCount: 1, failures: 1, until: NOON },
      [`Warning PlanningFailed Pod ${POD}`],
    ],
    [
      { kind: 'node-set-aside', at: NOON, claim: 'general-1', failures: 1, until: NOON },
      ['Warning PlanningFailed NodeClaim general-1', 'Warning PlanningFailed Node general-1'],
    ],
    [
      {
        ...{ kind: 'planning-paused', at: NOON, planner: 'disruption', pools: ['a', 'b'] },
        ...{ failures: 1, until: NOON },
      },
      ['Warning PlanningFailed NodePool a', 'Warning PlanningFailed NodePool b'],
    ],
    [
      { kind: 'unavailable', at: NOON, claim: 'general-1', offerings: [], until: NOON },
      ['Warning InsufficientCapacityError NodeClaim general-1'],
    ],
    [
      interruption,
      [
        'Warning SpotInterrupted NodeClaim general-1',
        'Warning SpotInterrupted Node general-1',
        'Warning TerminatingOnInterruption NodeClaim general-1',
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
    [{ kind: 'eviction-refused', at: NOON, pod: POD, pdb: 'web' }, [`Warning FailedDraining Pod ${POD}`]],
    [{ kind: 'eviction-failed', at: NOON, pod: POD, why: 'denied' }, [`Warning FailedDraining Pod ${POD}`]],
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
    [{ kind: 'unguarded', at: NOON, claim: 'general-1' }, ['Warning UnregisteredTaintMissing NodeClaim general-1']],
    [{ kind: 'node-missing', at: NOON, claim: 'general-1', since: NOON }, ['Warning NodeMissing NodeClaim general-1']],
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
      ['Normal DisruptionLaunching NodeClaim general-2', 'Normal DisruptionWaitingReadiness NodeClaim general-2'],
    ],
    [
      { kind: 'consolidation-dropped', at: NOON, claims: ['general-1'] },
      ['Normal ConsolidationRejected NodeClaim general-1', 'Normal ConsolidationRejected Node general-1'],
    ],
    [
      { kind: 'move-back-prevented', at: NOON, claim: 'general-1', types: ['m5.large'] },
      ['Warning MoveBackPrevented NodeClaim general-1', 'Warning MoveBackPrevented Node general-1'],
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
        'Normal ConsolidationApproved Node general-1',
        'Normal DisruptionTerminating NodeClaim general-1',
        'Normal DisruptionTerminating Node general-1',
      ],
    ],
    [{ kind: 'terminated', at: NOON, claim: 'general-1', livedMs: 1 }, []],
  ])('are written for %o', (event, expected) => {
    expect(toUserEvents(event).map(brief)).toEqual(expected);
    const isWarning = expected.some((line) => line.startsWith('Warning '));
    if (expected.length > 0) expect(severityOf(event)).toBe(isWarning ? 'warn' : 'info');
  });

  it('report a pool whose budget allows no disruption', () => {
    const fields = { pool: 'general', reason: 'Drifted' };
    const eventsFor = (code: ReasonCode) => toDecisionEvents(staying(code, fields)).map(brief);
    const blocked = 'Normal DisruptionBlocked NodePool general Drifted';

    expect(eventsFor('budget-closed')).toContain(blocked);
    expect(eventsFor('budget-unreadable')).toContain(blocked);
    expect(eventsFor('budget-exhausted')).not.toContain(blocked);
  });

  it('name the next opening of a window', () => {
    const opensAt = '2026-01-01T17:00:00Z';
    const fields = { pool: 'general', reason: 'Drifted', budget: '0', opensAt };

    expect(
      toDecisionEvents(staying('budget-closed', fields)).filter(
        ({ note }) => note === `budget 0 allows no disruption for Drifted, next window opens at ${opensAt}`,
      ),
    ).toHaveLength(3);
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
    ['not-paid-back', 'Unconsolidatable'],
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
