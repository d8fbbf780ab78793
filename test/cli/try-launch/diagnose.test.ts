import { describe, expect, it } from 'vitest';
import type { Check } from '../../../cli/documents/doctor.ts';
import type { LaunchPhase } from '../../../cli/documents/try-launch.ts';
import { findBootProblem } from '../../../cli/logs/console-output.ts';
import { diagnose, type Evidence } from '../../../cli/try-launch/diagnose.ts';
import { addPhases, findAwaitedPhase, isStuck, listPhases } from '../../../cli/try-launch/launch-progress.ts';
import type { Observation, SeenEvent } from '../../../cli/try-launch/observe-launch.ts';
import { toPublicReport } from '../../../cli/try-launch/write-report.ts';
import type { NodeClaimObject } from '../../../shared/model/nodes/node-claim-object.ts';
import { NOON } from '../../support/builders.ts';

const SECOND = 1_000;
const anEvent = (reason: string, note = '', reporter = 'mortise'): SeenEvent => ({
  ...{ at: NOON, reason, reporter, name: 'pod', note },
});
const SCHEDULER = anEvent('FailedScheduling', '0/3 nodes are available', 'default-scheduler');
const CLAIM: NodeClaimObject = {
  ...{ name: 'general-1', uid: 'u', createdAt: NOON + SECOND, labels: {}, annotations: {} },
  ...{ owners: [], finalizers: [], requirements: [], taints: [], startupTaints: [] },
  nodeClass: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
  ...{ requests: {}, capacity: {}, allocatable: {}, conditions: [] },
  providerId: 'aws:///us-east-1a/i-0a1b2c3d4e5f60718',
} as unknown as NodeClaimObject;
const ENTRY: Check = {
  ...{ id: 'nodes/access-entry', group: 'nodes', status: 'fail' },
  ...{ evidence: 'no access entry for role Nodes', fix: 'aws eks create-access-entry' },
};
const BOOTED = 'Reached target cloud-init\nnodeadm[1]: ok\n';

const failureOf = (phase: LaunchPhase, observed: Partial<Observation>, more: Partial<Evidence> = {}) =>
  diagnose({ phase, findings: [], observed: { events: [SCHEDULER], ...observed }, ...more });

const CASES: readonly (readonly [string, ReturnType<typeof failureOf>, string, RegExp])[] = [
  [
    'no quota',
    failureOf('decided', {
      events: [anEvent('InsufficientCapacityError', 'EC2 (VCPULimitExceeded) launches no m5')],
    }),
    'no-quota',
    /L-1216C47A/,
  ],
  [
    'no capacity',
    failureOf('fleet-answered', {
      events: [anEvent('InsufficientCapacityError', 'EC2 has no m5.large in a')],
    }),
    'no-capacity',
    /instance types/,
  ],
  [
    'another refusal of EC2',
    failureOf('fleet-answered', {
      claim: {
        ...CLAIM,
        conditions: [{ type: 'Launched', status: 'Unknown', reason: 'Unauthorized', message: 'no' }],
      },
    }),
    'launch-failed',
    /doctor/,
  ],
  [
    'a role without access entry',
    failureOf('registered', { claim: CLAIM }, { findings: [ENTRY] }),
    'no-access-entry',
    /create-access-entry/,
  ],
  [
    'a kubelet that is refused',
    failureOf('registered', { claim: CLAIM }, { console: `${BOOTED}kubelet[2]: E Unauthorized` }),
    'no-access-entry',
    /EC2_LINUX/,
  ],
  [
    'no route',
    failureOf('registered', { claim: CLAIM }, { console: `${BOOTED}kubelet[2]: dial tcp 10.0.0.1:443: i/o timeout` }),
    'no-route',
    /443/,
  ],
  [
    'a wrong image',
    failureOf('registered', { claim: CLAIM }, { console: 'Ubuntu\nReached target x\nip login:' }),
    'wrong-ami',
    /amiSelectorTerms/,
  ],
  [
    'an instance that ended',
    failureOf('registered', { claim: CLAIM, instanceState: 'terminated' }),
    'instance-ended',
    /StateReason/,
  ],
  [
    'an instance that says nothing',
    failureOf('registered', { claim: CLAIM, instanceState: 'running' }),
    'never-joined',
    /mortise logs node general-1/,
  ],
  [
    'a startup taint',
    failureOf('ready', {
      node: { name: 'n', isReady: true, notReadyWhy: '', taints: ['agent=off:NoSchedule'] },
    }),
    'taint-remains',
    /startupTaints/,
  ],
  [
    'a kubelet that is not ready',
    failureOf('ready', {
      node: { name: 'n', isReady: false, notReadyWhy: 'cni plugin not initialized', taints: [] },
    }),
    'node-not-ready',
    /VPC CNI/,
  ],
  ['no Event', failureOf('decided', { events: [] }), 'not-reported', /kube-scheduler/],
  [
    'no decision',
    failureOf(
      'decided',
      {},
      {
        findings: [
          {
            ...ENTRY,
            id: 'hook/placed',
            group: 'hook',
            evidence: 'the webhooks are off',
            fix: 'restore',
          },
        ],
      },
    ),
    'not-decided',
    /restore/,
  ],
  [
    'no place',
    failureOf('decided', { events: [SCHEDULER, anEvent('FailedScheduling', 'limit-reached')] }),
    'no-place',
    /mortise explain/,
  ],
  ['a node that does not take the pod', failureOf('bound', {}), 'not-bound', /describe node/],
];

describe('the diagnosis of a launch that fails', () => {
  it.each(CASES)('names %s with its next step', (_, failure, code, fix) => {
    expect(failure.code).toBe(code);
    expect(failure.fix).toMatch(fix);
    expect(failure.what).not.toBe('');
  });

  it('finds no cause in the console of a node that joined', () => {
    expect(findBootProblem(`${BOOTED}kubelet[2]: "Successfully registered node"\nip login:`)).toBeUndefined();
  });
});

describe('the phases of a launch', () => {
  it('take their times from the record, and those of the observation for what has none', () => {
    const launch = { at: NOON + 3 * SECOND, calledAt: NOON + 2 * SECOND };
    const observed = {
      ...{ events: [SCHEDULER], claim: CLAIM, boundTo: 'node-1', instanceState: 'running' },
      record: {
        createdAt: NOON + SECOND,
        launch,
        registeredAt: NOON + 30 * SECOND,
      } as Observation['record'],
    } as Observation;
    const times = addPhases({ 'pod-created': NOON - 500 }, observed, NOON + 40 * SECOND);

    expect(listPhases(times).map(({ name, ms }) => [name, ms])).toEqual([
      ['pod-created', undefined],
      ['event-seen', 500],
      ['decided', 1_000],
      ['fleet-requested', 1_000],
      ['fleet-answered', 1_000],
      ['registered', 27_000],
      ['running', 10_000],
      ['ready', 0],
      ['bound', 0],
    ]);
    expect(findAwaitedPhase(times)).toBeUndefined();
  });

  it('keep the time at which a phase was first seen', () => {
    const bound = { events: [], boundTo: 'node-1' };
    const first = addPhases({}, bound, NOON);

    expect(addPhases(first, bound, NOON + SECOND)).toEqual({ ready: NOON, bound: NOON });
  });

  it('have a node ready before its pod is bound, though its initialization is recorded later', () => {
    const initialized = { ...CLAIM, conditions: [{ type: 'Initialized', status: 'True', changedAt: NOON + SECOND }] };
    const observed = { events: [], boundTo: 'node-1', claim: initialized } as unknown as Observation;

    expect(addPhases({}, observed, NOON)).toMatchObject({ ready: NOON, bound: NOON });
  });
});

describe('a launch without progress', () => {
  const waiting = (waitedMs: number, phase: LaunchPhase = 'registered') => ({
    ...{ phase, since: NOON, now: NOON + waitedMs, timeoutMs: 300 * SECOND },
  });

  it('is stuck after its time limit, and at once if the instance has ended', () => {
    expect(isStuck({ events: [] }, waiting(299 * SECOND))).toBe(false);
    expect(isStuck({ events: [] }, waiting(300 * SECOND))).toBe(true);
    expect(isStuck({ events: [], instanceState: 'terminated' }, waiting(0))).toBe(true);
  });

  it('is stuck earlier if Mortise or EC2 has refused it', () => {
    const refused = { events: [anEvent('InsufficientCapacityError')] };

    expect(isStuck(refused, waiting(14 * SECOND, 'decided'))).toBe(false);
    expect(isStuck(refused, waiting(15 * SECOND, 'decided'))).toBe(true);
    expect(isStuck({ events: [SCHEDULER] }, waiting(15 * SECOND, 'decided'))).toBe(false);
    expect(isStuck({ events: [SCHEDULER] }, waiting(60 * SECOND, 'decided'))).toBe(true);
  });
});

describe('the report of a launch', () => {
  it('has durations and codes, and no name, address, sentence or time of day', () => {
    const secret = 'SECRET';
    const report = toPublicReport(
      {
        ...{ nodePool: secret, nodeClaim: secret, node: secret, zone: 'us-east-1a' },
        ...{ outcome: 'failed', instanceType: 'm5.large', capacityType: 'spot' },
        phases: [{ name: 'decided', at: '2026-11-28T12:00:00.000Z', ms: 7 }],
        failure: { code: 'no-route', phase: 'registered', what: secret, why: secret, fix: secret },
        findings: [{ id: 'nodes/access-entry', status: 'fail', evidence: secret, fix: secret }],
        remaining: [secret],
      },
      { region: 'us-east-1' },
    );

    expect(JSON.stringify(report)).not.toMatch(/SECRET|2026-|us-east-1a/);
    expect(report).toMatchObject({
      phases: [{ name: 'decided', ms: 7 }],
      failure: { code: 'no-route', phase: 'registered' },
      findings: [{ id: 'nodes/access-entry', status: 'fail' }],
      remaining: 1,
    });
  });
});
