import { describe, expect, it } from 'vitest';
import type { LiveReading } from '../../../shared/kubernetes/readers/live-object.ts';
import { pickDaemonSet, readDaemonSet, readPriorityClass } from '../../../shared/kubernetes/readers/read-daemon-set.ts';
import { readNode } from '../../../shared/kubernetes/readers/read-node.ts';
import {
  readNodeClassReadiness,
  readNodePool,
  withClassReadiness,
} from '../../../shared/kubernetes/readers/read-node-pool.ts';
import { readPodDisruptionBudget } from '../../../shared/kubernetes/readers/read-pod-disruption-budget.ts';
import { createPodTemplateReader } from '../../../shared/kubernetes/readers/read-pod-template.ts';
import { aNodePool, NOON, resources } from '../../support/builders.ts';
import {
  aLiveBudget,
  aLiveDaemonSet,
  aLiveNode,
  aLiveNodeClass,
  aLivePool,
  NOON_TEXT,
} from '../support/live-objects.ts';

function value<T>(reading: LiveReading<T>): T {
  if (reading.outcome === 'unreadable') throw new Error(reading.object.why);
  return reading.value;
}

describe('a stored Node', () => {
  it('is read completely', () => {
    const raw = aLiveNode({
      metadata: {
        finalizers: ['karpenter.sh/termination'],
        deletionTimestamp: NOON_TEXT,
        annotations: {
          'karpenter.sh/do-not-disrupt': 'true',
          'kubectl.kubernetes.io/last-applied-configuration': '{"token":"secret"}',
          note: 'x',
        },
      },
      spec: {
        taints: [
          { key: 'dedicated', value: 'ml', effect: 'NoSchedule' },
          { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', timeAdded: NOON_TEXT },
        ],
      },
    });

    expect(value(readNode(raw))).toEqual({
      name: 'node-1',
      uid: 'uid-node-1',
      providerId: 'aws:///us-east-1a/i-node-1',
      createdAt: NOON,
      labels: { 'kubernetes.io/os': 'linux' },
      annotations: { 'karpenter.sh/do-not-disrupt': 'true' },
      taints: [
        { key: 'dedicated', value: 'ml', effect: 'NoSchedule' },
        { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' },
      ],
      capacity: resources(2, 8, { pods: 29 }),
      allocatable: resources(1.93, 7, { pods: 29 }),
      ready: true,
      finalizers: ['karpenter.sh/termination'],
      deletionAt: NOON,
    });
  });

  it.each(['False', 'Unknown'])('is not ready when its kubelet says %s', (status) => {
    const node = value(readNode(aLiveNode({ status: { conditions: [{ type: 'Ready', status }] } })));

    expect(node.ready).toBe(false);
  });

  it('is readable right after its creation', () => {
    const raw = { ...aLiveNode(), spec: undefined, status: undefined };

    expect(value(readNode(raw))).toMatchObject({ ready: false, capacity: {}, taints: [] });
  });

  it('forbids launches and removals if it cannot be read', () => {
    const raw = aLiveNode({ status: { allocatable: { cpu: 'two' } } });

    expect(readNode(raw)).toMatchObject({
      outcome: 'unreadable',
      object: { kind: 'Node', name: 'node-1', forbids: ['launch', 'remove'] },
    });
  });
});

describe('a stored NodePool', () => {
  it.each([
    ['true', { expiresVoluntarily: true }],
    ['false', {}],
  ])('says by an annotation if it replaces expired nodes voluntarily: %s', (written, expected) => {
    const annotations = { 'mortise.sh/voluntary-expiration': written };
    const { expiresVoluntarily } = value(readNodePool(aLivePool({ metadata: { annotations } }))) ?? {};

    expect({ ...(expiresVoluntarily && { expiresVoluntarily }) }).toEqual(expected);
  });

  it('says by an annotation how long drains take at least', () => {
    const annotations = { 'mortise.sh/min-drain-duration': '1h' };

    expect(value(readNodePool(aLivePool({ metadata: { annotations } })))).toMatchObject({
      minDrainMs: 3_600_000,
      ready: true,
    });
  });

  it.each(['', '5', '-1m', '1h1s', 'soon'])('refuses %j as the minimum of a drain', (written) => {
    const annotations = { 'mortise.sh/min-drain-duration': written };
    const pool = value(readNodePool(aLivePool({ metadata: { annotations } })));

    expect(pool).not.toHaveProperty('minDrainMs');
    expect(pool?.ready).toBe(false);
    expect(pool?.notReady?.message).toContain('not a duration of at most an hour');
  });

  it('says by an annotation what its nodes cost besides their instances', () => {
    const annotations = { 'mortise.sh/per-node-hourly-usd': '0.08' };

    expect(value(readNodePool(aLivePool({ metadata: { annotations } })))).toMatchObject({
      perNodeHourlyUsd: 0.08,
      ready: true,
    });
  });

  it.each([
    ['False', true],
    ['True', undefined],
  ])('is rolling out while its condition RolloutComplete is False: %s', (status, expected) => {
    const pool = value(readNodePool(aLivePool({ status: { conditions: [{ type: 'RolloutComplete', status }] } })));
    expect(pool?.isRollingOut).toBe(expected);
  });

  it.each(['-1', '8 cents', ''])('is not Ready if that cost is no amount: %j', (written) => {
    const annotations = { 'mortise.sh/per-node-hourly-usd': written };
    const pool = value(readNodePool(aLivePool({ metadata: { annotations } })));

    expect(pool).toMatchObject({
      ready: false,
      notReady: {
        condition: 'ValidationSucceeded',
        message: expect.stringContaining('not an amount of 0 or more') as unknown,
      },
    });
    expect(pool).not.toHaveProperty('perNodeHourlyUsd');
  });

  it('says by annotations how many of its vCPUs are on demand', () => {
    const annotations = {
      'mortise.sh/on-demand-base': '8',
      'mortise.sh/on-demand-percent-above-base': '25',
    };

    expect(value(readNodePool(aLivePool({ metadata: { annotations } })))).toMatchObject({
      onDemandShare: { base: 8, percentAboveBase: 25 },
      ready: true,
    });
  });

  it.each<[Record<string, string>, string]>([
    [{ 'mortise.sh/on-demand-base': 'many' }, 'not a number of vCPUs'],
    [{ 'mortise.sh/on-demand-percent-above-base': '130' }, 'not a percentage from 0 to 100'],
  ])('is not Ready if a share on demand is invalid: %j', (annotations, why) => {
    const pool = value(readNodePool(aLivePool({ metadata: { annotations } })));

    expect(pool).toMatchObject({
      ready: false,
      notReady: { message: expect.stringContaining(why) as unknown },
    });
    expect(pool).not.toHaveProperty('onDemandShare');
  });

  it('is read like its manifest', () => {
    expect(value(readNodePool(aLivePool()))).toMatchObject({
      name: 'general',
      uid: 'uid-general',
      requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
      ready: true,
      deleting: false,
    });
  });

  it('is left out if it belongs to another provider', () => {
    const nodeClassRef = { group: 'eks.amazonaws.com', kind: 'NodeClass', name: 'default' };
    const template = { spec: { nodeClassRef, requirements: [] } };

    expect(value(readNodePool(aLivePool({ spec: { template } })))).toBeUndefined();
  });

  it('forbids removals if it cannot be read', () => {
    expect(readNodePool(aLivePool({ spec: { template: {} } }))).toMatchObject({
      outcome: 'unreadable',
      object: { kind: 'NodePool', name: 'general', forbids: ['remove'] },
    });
  });

  it.each([
    ['there is none', [], 'NodeClassNotFound'],
    ['it is being deleted', [{ metadata: { deletionTimestamp: NOON_TEXT } }], 'NodeClassTerminating'],
    ['it has no conditions yet', [{ status: { conditions: [] } }], 'NodeClassReadinessUnknown'],
    [
      'it is not ready',
      [{ status: { conditions: [{ type: 'Ready', status: 'False', reason: 'NoSubnets' }] } }],
      'NoSubnets',
    ],
    [
      'a dependency has failed',
      [
        {
          status: {
            conditions: [
              { type: 'SubnetsReady', status: 'False', reason: 'SubnetsNotFound' },
              { type: 'ValidationSucceeded', status: 'False', reason: 'DependenciesNotReady' },
              { type: 'Ready', status: 'False', reason: 'UnhealthyDependents' },
            ],
          },
        },
      ],
      'SubnetsNotFound',
    ],
    ['it is ready', [{}], undefined],
  ])('is as ready as its EC2NodeClass: %s', (_, classes, condition) => {
    const health = classes.map((over) => value(readNodeClassReadiness(aLiveNodeClass(over))));
    const pool = withClassReadiness(aNodePool(), new Map(health.map((one) => [one.name, one])));

    expect(pool.ready).toBe(condition === undefined);
    expect(pool.notReady?.condition).toBe(condition);
  });

  it('keeps the problems of its own spec', () => {
    const notReady = { condition: 'ValidationSucceeded', message: 'restricted label' };

    const pool = withClassReadiness(aNodePool({ ready: false, notReady }), new Map());

    expect(pool.notReady).toEqual(notReady);
  });
});

describe('a stored PodDisruptionBudget', () => {
  it('is read with its counts', () => {
    expect(value(readPodDisruptionBudget(aLiveBudget()))).toEqual({
      namespace: 'default',
      name: 'web',
      selector: { matchLabels: { app: 'web' }, matchExpressions: [] },
      maxUnavailable: '1',
      unhealthyPodEvictionPolicy: 'IfHealthyBudget',
      disruptionsAllowed: 1,
      currentHealthy: 3,
      desiredHealthy: 2,
      expectedPods: 3,
    });
  });

  it.each([
    ['counted for an older version', aLiveBudget({ metadata: { generation: 2 } })],
    ['not counted yet', { ...aLiveBudget(), status: undefined }],
  ])('allows no disruption while it is %s', (_, raw) => {
    expect(value(readPodDisruptionBudget(raw)).disruptionsAllowed).toBe(0);
  });
});

describe('a stored DaemonSet', () => {
  const gold = { metadata: { name: 'gold' }, value: 1000 };
  const spec = {
    template: {
      metadata: { labels: { app: 'agent' } },
      spec: { containers: [{ name: 'agent' }], priorityClassName: 'gold' },
    },
  };

  it('is read with the priority of its class', () => {
    const classes = [value(readPriorityClass(gold))];
    const daemonSet = value(
      readDaemonSet(createPodTemplateReader(), classes, value(pickDaemonSet(aLiveDaemonSet({ spec })))),
    );

    expect(daemonSet).toMatchObject({ namespace: 'kube-system', name: 'agent' });
    expect(daemonSet.template.spec).toMatchObject({ priority: 1000, priorityClassName: 'gold' });
  });

  it('keeps whether room is to be made for its pods', () => {
    const annotations = { 'mortise.sh/make-room': 'false' };
    const live = aLiveDaemonSet({
      spec: { template: { ...spec.template, spec: { containers: [{ name: 'agent' }] } } },
      metadata: { annotations },
    });
    const daemonSet = value(readDaemonSet(createPodTemplateReader(), [], value(pickDaemonSet(live))));

    expect(daemonSet.annotations).toEqual(annotations);
  });

  it('is left out if its class is missing, because its pods cannot be created', () => {
    const reading = readDaemonSet(createPodTemplateReader(), [], value(pickDaemonSet(aLiveDaemonSet({ spec }))));

    expect(() => value(reading)).toThrow('no PriorityClass gold');
  });
});

describe('an object of any shape', () => {
  it.each([null, 7, 'text', [], {}, { metadata: null }, { metadata: { name: 7 } }])(
    'is unreadable and never an exception: %j',
    (raw) => {
      for (const read of [pickDaemonSet, readNode, readNodePool, readPodDisruptionBudget, readNodeClassReadiness]) {
        expect(read(raw).outcome).toBe('unreadable');
      }
    },
  );
});
