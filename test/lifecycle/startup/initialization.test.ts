import { describe, expect, it } from 'vitest';
import { initialize } from '../../../shared/lifecycle/startup/initialization.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { type Taint, UNREGISTERED_TAINT } from '../../../shared/model/requirements/taints.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import { aLaunch, aNode, aNodeClaim, NOON, resources } from '../../support/builders.ts';
import { aDevice, aSliceOf, GPU_DRIVER, someDevices } from '../../support/devices.ts';

const registered = (over: Partial<NodeClaim> = {}): NodeClaim =>
  aNodeClaim({ launch: aLaunch(), registeredAt: NOON, nodeName: 'node-1', ...over });

const startup: Taint = { key: 'starting', value: 'yes', effect: 'NoSchedule' };
const gpu = resources(1, 1, { 'nvidia.com/gpu': 1 });

describe('initialization', () => {
  it.each<[string, Partial<NodeClaim>, Partial<Node>, string | undefined]>([
    ['waits for the kubelet to be Ready', {}, { ready: false }, 'NodeNotReady'],
    [
      'waits for a startup taint to be removed',
      { startupTaints: [startup] },
      { taints: [startup] },
      'StartupTaintsExist',
    ],
    ['continues if a startup taint is gone', { startupTaints: [startup] }, {}, undefined],
    [
      'ignores a taint with another value than the startup taint',
      { startupTaints: [startup] },
      { taints: [{ ...startup, value: 'no' }] },
      undefined,
    ],
    [
      'waits for the cloud provider’s taint, whatever its value',
      {},
      {
        taints: [
          {
            key: 'node.cloudprovider.kubernetes.io/uninitialized',
            value: 'true',
            effect: 'NoSchedule',
          },
        ],
      },
      'KnownEphemeralTaintsExist',
    ],
    [
      'waits for a readiness gate',
      {},
      { taints: [{ key: 'readiness.k8s.io/gate-x', effect: 'NoSchedule' }] },
      'KnownEphemeralTaintsExist',
    ],
    [
      'waits for a device that has not registered',
      { requests: gpu },
      { allocatable: resources(2, 8, { 'nvidia.com/gpu': 0 }) },
      'ResourceNotRegistered',
    ],
    [
      'continues if the device has registered',
      { requests: gpu },
      { allocatable: resources(2, 8, { 'nvidia.com/gpu': 1 }) },
      undefined,
    ],
    ['ignores a resource requested with 0', { requests: resources(1, 1, { 'nvidia.com/gpu': 0 }) }, {}, undefined],
  ])('%s', (_, claim, node, blocker) => {
    const nodes = [aNode(node)];
    const before = registered(claim);

    const { claim: after } = initialize(before, { nodes, pods: [], now: NOON });
    expect(after.initializedAt).toBe(blocker ? undefined : NOON);
    expect(after.waitsFor?.reason).toBe(blocker);
  });

  it.each([
    ['waits until the driver publishes devices', [], 'DRADriverPoolsNotPublished'],
    ['waits for the complete pool', [aSliceOf('node-1', [], { slicesInPool: 2 })], 'DRADriverPoolsNotPublished'],
    ['ignores devices of another node', [aSliceOf('node-2', [aDevice('gpu-0')])], 'DRADriverPoolsNotPublished'],
    ['continues when the devices are published', [aSliceOf('node-1', [aDevice('gpu-0')])], undefined],
  ])('for a driver that the node was launched for: it %s', (_, slices, blocker) => {
    const annotations = { 'karpenter.sh/requested-dra-drivers': GPU_DRIVER };
    const before = registered({ annotations });
    const observed = { nodes: [aNode()], pods: [], now: NOON, devices: someDevices({ slices }) };

    expect(initialize(before, observed).claim.waitsFor?.reason).toBe(blocker);
  });

  it('labels the Node and reports how long pods waited', () => {
    const node = aNode();
    const claim = registered({ podsWaitedSince: NOON - 48 * SECOND_MS });

    expect(initialize(claim, { nodes: [node], pods: [], now: NOON })).toEqual({
      claim: { ...claim, initializedAt: NOON },
      effects: [
        {
          kind: 'change-node',
          node,
          change: { labels: { 'karpenter.sh/initialized': 'true' } },
        },
      ],
      events: [{ kind: 'ready', at: NOON, claim: 'general-1', waitedMs: 48 * SECOND_MS }],
    });
  });

  it('reports no wait if no pod waited', () => {
    const { events } = initialize(registered(), {
      nodes: [aNode()],
      pods: [],
      now: NOON + 40 * SECOND_MS,
    });

    expect(events).toMatchObject([{ kind: 'ready', waitedMs: 0 }]);
  });

  it('waits while the Node is missing or duplicated', () => {
    for (const nodes of [[], [aNode({ name: 'other-1' }), aNode({ name: 'other-2' })]]) {
      const { claim, effects } = initialize(registered(), { nodes, pods: [], now: NOON });

      expect(claim.waitsFor).toMatchObject({ condition: 'Initialized', reason: 'NodeNotFound' });
      expect(effects).toEqual([]);
    }
  });

  it('initializes the Node that registered, whichever others claim its instance', () => {
    const nodes = [aNode({ name: 'intruder', taints: [UNREGISTERED_TAINT] }), aNode()];
    const { claim, effects } = initialize(registered(), { nodes, pods: [], now: NOON });

    expect(claim.initializedAt).toBe(NOON);
    expect(effects).toMatchObject([{ kind: 'change-node', node: { name: 'node-1' } }]);
  });

  it('registers the Node under which the kubelet has registered again', () => {
    const nodes = [aNode({ name: 'renamed', labels: {}, taints: [UNREGISTERED_TAINT] })];
    const { claim, effects } = initialize(registered(), { nodes, pods: [], now: NOON });

    expect(claim).toMatchObject({ registeredAt: NOON, nodeName: 'renamed' });
    expect(claim.initializedAt).toBeUndefined();
    expect(effects).toMatchObject([{ kind: 'change-node', node: { name: 'renamed' }, change: { taints: [] } }]);
  });
});
