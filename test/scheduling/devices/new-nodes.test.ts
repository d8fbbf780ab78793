import { describe, expect, it } from 'vitest';
import type { Device } from '../../../shared/model/pods/devices.ts';
import { GIB } from '../../../shared/model/resources.ts';
import { aChoice, aClaimTemplate, aDevice, aSliceOf, wishFor } from '../../support/devices.ts';
import { fakeType, offered, several, tiny } from '../support/fixture.ts';
import { podCounts, provision, typesOf } from '../support/provision.ts';
import { aFullNode } from './known-node.ts';
import { gpus, loopFor, ROOMY, WISHING, whyNot, withDevices } from './loop.ts';

const ONE_GPU = wishFor([aChoice()]);

describe('devices of new nodes', () => {
  it.each([
    [2, 1],
    [1, 2],
  ])('of a type with %i GPUs need %i nodes for two pods', (count, nodes) => {
    const { plan, pending } = loopFor(ONE_GPU, gpus(count), ...several(2, 'a', WISHING));

    expect(pending).toEqual([]);
    expect(plan.claims).toHaveLength(nodes);
  });

  it('name their drivers on the claim', () => {
    const { plan } = loopFor(ONE_GPU, gpus(2), tiny('a', WISHING));
    expect(plan.claims[0]?.claim.annotations).toMatchObject({
      'karpenter.sh/requested-dra-drivers': 'gpu.example.com',
    });
  });

  it('are all used by a claim for all of them', () => {
    const all = wishFor([aChoice({ count: 'all' })]);
    const outcome = loopFor(all, gpus(3), ...several(2, 'a', WISHING));

    expect(outcome.pending).toEqual([]);
    expect(podCounts(outcome)).toEqual([1, 1]);
  });

  it('are explained by what the best type lacks', () => {
    const four = wishFor([aChoice({ count: 4 })]);
    const outcome = loopFor(four, gpus(3), tiny('a', WISHING));

    expect(outcome.pending).toEqual(['a']);
    expect(whyNot(outcome)).toBe(
      'ResourceClaim default/wish needs 4 of DeviceClass gpu for gpus; best type roomy has 3',
    );
  });

  it('are not guessed: a node must show them first', () => {
    const outcome = loopFor(ONE_GPU, [], tiny('a', WISHING));

    expect(outcome.pending).toEqual(['a']);
    expect(whyNot(outcome)).toBe(
      'ResourceClaim default/wish needs 1 of DeviceClass gpu: no node of roomy shows its devices yet; run one, by a pod without a claim',
    );
  });
});

describe('types for pods that request one device each', () => {
  const [one, four] = [
    fakeType('one', { cpus: 4, gib: 8, pods: 10 }),
    fakeType('four', { cpus: 32, gib: 64, pods: 40 }),
  ];
  const slices = [aSliceOf('shows-one', gpus(1)), aSliceOf('shows-four', gpus(4))];

  it.each([
    ['one', 5],
    ['four', 3],
  ])('are those with the most devices for the price: %s, where four cost $%d', (type, usd) => {
    const scene = {
      types: [one, four],
      priced: [...offered(one, 1), ...offered(four, usd)],
      nodes: [aFullNode('shows-one', one), aFullNode('shows-four', four)],
    };
    const cluster = withDevices([], { slices, templates: [aClaimTemplate('wish')] }, scene);
    const outcome = provision(cluster, ...several(8, 'a', WISHING));

    expect(new Set(typesOf(outcome))).toEqual(new Set([type]));
  });
});

describe('a device of 16Gi that pods share', () => {
  const shared = (byDefault?: number): Device =>
    aDevice('gpu-0', {
      shareable: true,
      capacity: {
        memory: {
          value: 16 * GIB,
          ...(byDefault !== undefined && { policy: { byDefault, range: { least: GIB } } }),
        },
      },
    });
  const ofGib = (gib: number) => wishFor([aChoice({ capacity: { memory: gib * GIB } })]);

  it.each([
    [3, [3]],
    [4, [4]],
    [5, [1, 4]],
  ])('holds %i pods of 4Gi, %j to a node', (pods, counts) => {
    const outcome = loopFor(ofGib(4), [shared()], ...several(pods, 'a', WISHING));
    expect(podCounts(outcome)).toEqual(counts);
  });

  it('uses its default capacity for pods that request none', () => {
    const outcome = loopFor(ONE_GPU, [shared(5 * GIB)], ...several(4, 'a', WISHING));
    expect(podCounts(outcome)).toEqual([1, 3]);
  });

  it('is too small for 32Gi', () => {
    const outcome = loopFor(ofGib(32), [shared()], tiny('a', WISHING));
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
    expect(podCounts(provision(cluster, ...several(pods, 'a', WISHING)))).toEqual(counts);
  });
});
