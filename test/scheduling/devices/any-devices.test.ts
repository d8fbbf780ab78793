import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GIB } from '../../../shared/model/resources.ts';
import { aChoice, aClaimTemplate, aDevice, aDeviceClaim, aSliceOf, requestFor } from '../../support/devices.ts';
import { createPods, fakeType, need, requesting, tiny, Z1, Z2, ZONE } from '../support/fixture.ts';
import { provision } from '../support/provision.ts';
import { claiming, createGpus, withDevices } from './device-fixture.ts';
import { aFullNode, aNodeOf } from './observed-nodes.ts';

const TYPES = [
  fakeType('plain', { cpus: 8, gib: 16, pods: 20 }),
  fakeType('one', { cpus: 4, gib: 8, pods: 10 }),
  fakeType('four', { cpus: 32, gib: 64, pods: 40 }),
];
const [PLAIN, ONE, FOUR] = TYPES;
const shared = aDevice('shared', {
  shareable: true,
  capacity: { memory: { value: 8 * GIB, policy: { byDefault: 2 * GIB } } },
});

/** Templates of device claims. */
const templates = [
  aClaimTemplate('one', requestFor([aChoice()])),
  aClaimTemplate('two', requestFor([aChoice({ count: 2 })])),
  aClaimTemplate('all', requestFor([aChoice({ count: 'all' })])),
  aClaimTemplate('part', requestFor([aChoice({ capacity: { memory: 3 * GIB } })])),
];

const anyGroup = fc.record({
  pods: fc.integer({ min: 1, max: 4 }),
  cpus: fc.constantFrom(0.5, 1.5, 3),
  request: fc.constantFrom(undefined, 'one', 'two', 'all', 'part', 'ours'),
});
const anyScene = fc.record({
  groups: fc.array(anyGroup, { minLength: 1, maxLength: 4 }),
  shares: fc.boolean(),
  network: fc.nat({ max: 2 }),
  room: fc.boolean(),
});

describe('plans with device claims', () => {
  it('are valid for any claims', () => {
    fc.assert(
      fc.property(anyScene, ({ groups, shares, network, room }) => {
        if (!PLAIN || !ONE || !FOUR) throw new Error('types are there');
        const slices = [
          aSliceOf('shows-one', shares ? [shared] : createGpus(1)),
          aSliceOf('shows-four', createGpus(4)),
          aSliceOf('here', createGpus(2)),
          aSliceOf('net', createGpus(network), {
            reach: { nodeTerms: [[need(ZONE, 'In', Z1)], [need(ZONE, 'In', Z2)]] },
          }),
        ];
        const here = room ? aNodeOf('here', FOUR) : aFullNode('here', FOUR);
        const cluster = withDevices(
          [],
          { slices, templates, claims: [aDeviceClaim('ours')] },
          {
            types: TYPES,
            nodes: [aFullNode('shows-one', ONE), aFullNode('shows-four', FOUR), here],
          },
        );
        const pods = groups.flatMap(({ pods, cpus, request }, at) => {
          const claims =
            request === 'ours' ? claiming('ours') : request && { deviceClaims: [{ name: 'gpu', template: request }] };
          return createPods(pods, `g${at}`, { requests: requesting(cpus), ...claims });
        });

        // Throws if the checker finds a violation.
        const { pending } = provision(cluster, ...pods);
        const unclaimed = groups.flatMap(({ request }, at) => (request ? [] : [`g${at}-`]));
        expect(pending.filter((name) => unclaimed.some((start) => name.startsWith(start)))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it('give equal pods one node each if its devices are enough for one pod', () => {
    const cluster = withDevices(createGpus(1), { templates });
    const one = { deviceClaims: [{ name: 'gpu', template: 'one' }] };
    const { plan } = provision(cluster, ...createPods(5, 'a', one), tiny('b'));
    expect(plan.claims).toHaveLength(5);
  });
});
