import { describe, expect, it } from 'vitest';
import type { Device } from '../../../shared/model/pods/devices.ts';
import { GIB } from '../../../shared/model/resources.ts';
import { aChoice, aClaimTemplate, aDevice, aSliceOf, requestFor } from '../../support/devices.ts';
import { createOfferings, createPods, fakeType, tiny } from '../support/fixture.ts';
import { countPodsPerNode, listLaunchedTypes, provision } from '../support/provision.ts';
import {
  CLAIMING_FROM_TEMPLATE,
  createGpus,
  findFirstReason,
  provisionWithDevices,
  ROOMY,
  withDevices,
} from './device-fixture.ts';
import { aFullNode } from './observed-nodes.ts';

const ONE_GPU = requestFor([aChoice()]);

describe('devices of new nodes', () => {
  it.each([
    [2, 1],
    [1, 2],
  ])('of a type with %i GPUs need %i nodes for two pods', (count, nodes) => {
    const { plan, pending } = provisionWithDevices(
      ONE_GPU,
      createGpus(count),
      ...createPods(2, 'a', CLAIMING_FROM_TEMPLATE),
    );

    expect(pending).toEqual([]);
    expect(plan.claims).toHaveLength(nodes);
  });

  it('name their drivers on the claim', () => {
    const { plan } = provisionWithDevices(ONE_GPU, createGpus(2), tiny('a', CLAIMING_FROM_TEMPLATE));
    expect(plan.claims[0]?.claim.annotations).toMatchObject({
      'karpenter.sh/requested-dra-drivers': 'gpu.example.com',
    });
  });

  it('are all used by a claim for all of them', () => {
    const all = requestFor([aChoice({ count: 'all' })]);
    const outcome = provisionWithDevices(all, createGpus(3), ...createPods(2, 'a', CLAIMING_FROM_TEMPLATE));

    expect(outcome.pending).toEqual([]);
    expect(countPodsPerNode(outcome)).toEqual([1, 1]);
  });

  it('are explained by what the best type lacks', () => {
    const four = requestFor([aChoice({ count: 4 })]);
    const outcome = provisionWithDevices(four, createGpus(3), tiny('a', CLAIMING_FROM_TEMPLATE));

    expect(outcome.pending).toEqual(['a']);
    expect(findFirstReason(outcome)).toBe(
      'ResourceClaim default/wish needs 4 of DeviceClass gpu for gpus; best type roomy has 3',
    );
  });

  it('are not guessed: a node must show them first', () => {
    const outcome = provisionWithDevices(ONE_GPU, [], tiny('a', CLAIMING_FROM_TEMPLATE));

    expect(outcome.pending).toEqual(['a']);
    expect(findFirstReason(outcome)).toBe(
      'ResourceClaim default/wish needs 1 of DeviceClass gpu: no node of roomy shows its devices yet; run one, by a pod without a claim',
    );
  });
});

describe('types for pods that request one device each', () => {
  const [one, four] = [
    fakeType('one', { cpus: 4, gib: 8, pods: 10 }),
    fakeType('four', { cpus: 32, gib: 64, pods: 40 }),
  ];
  const slices = [aSliceOf('shows-one', createGpus(1)), aSliceOf('shows-four', createGpus(4))];

  it.each([
    ['one', 5],
    ['four', 3],
  ])('are those with the most devices for the price: %s, where four cost $%d', (type, usd) => {
    const scene = {
      types: [one, four],
      priced: [...createOfferings(one, 1), ...createOfferings(four, usd)],
      nodes: [aFullNode('shows-one', one), aFullNode('shows-four', four)],
    };
    const cluster = withDevices([], { slices, templates: [aClaimTemplate('wish')] }, scene);
    const outcome = provision(cluster, ...createPods(8, 'a', CLAIMING_FROM_TEMPLATE));

    expect(new Set(listLaunchedTypes(outcome))).toEqual(new Set([type]));
  });
});

describe('a device of 16Gi that pods share', () => {
  const shared = (byDefault?: number): Device =>
    aDevice('gpu-0', {
      shareable: true,
      capacity: {
        memory: {
          value: 16 * GIB,
          ...(byDefault !== undefined && { policy: { byDefault, range: { min: GIB } } }),
        },
      },
    });
  const ofGib = (gib: number) => requestFor([aChoice({ capacity: { memory: gib * GIB } })]);

  it.each([
    [3, [3]],
    [4, [4]],
    [5, [1, 4]],
  ])('holds %i pods of 4Gi, %j to a node', (pods, counts) => {
    const outcome = provisionWithDevices(ofGib(4), [shared()], ...createPods(pods, 'a', CLAIMING_FROM_TEMPLATE));
    expect(countPodsPerNode(outcome)).toEqual(counts);
  });

  it('uses its default capacity for pods that request none', () => {
    const outcome = provisionWithDevices(ONE_GPU, [shared(5 * GIB)], ...createPods(4, 'a', CLAIMING_FROM_TEMPLATE));
    expect(countPodsPerNode(outcome)).toEqual([1, 3]);
  });

  it('is too small for 32Gi', () => {
    const outcome = provisionWithDevices(ofGib(32), [shared()], tiny('a', CLAIMING_FROM_TEMPLATE));
    expect(outcome.pending).toEqual(['a']);
  });
});

describe('partitions of a device', () => {
  const partition = (name: string): Device =>
    aDevice(name, { uses: [{ set: 'gpu-0', counters: { memory: 40 * GIB } }] });
  const four = ['p-0', 'p-1', 'p-2', 'p-3'].map(partition);
  const counters = { 'gpu-0': { memory: 80 * GIB } };
  const cluster = withDevices(
    [],
    {
      slices: [aSliceOf('shows-roomy', four, { counters })],
      templates: [aClaimTemplate('wish')],
    },
    { nodes: [aFullNode('shows-roomy', ROOMY)] },
  );

  it.each([
    [2, [2]],
    [3, [1, 2]],
  ])('draw on its counters of 80Gi: %i partitions of 40Gi are %j to a node', (pods, counts) => {
    expect(countPodsPerNode(provision(cluster, ...createPods(pods, 'a', CLAIMING_FROM_TEMPLATE)))).toEqual(counts);
  });
});
