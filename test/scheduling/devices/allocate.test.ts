import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Device, DeviceConstraint, ResolvedDeviceClaim } from '../../../shared/model/pods/devices.ts';
import {
  type AllocationResult,
  allocateDevices,
  type DeviceSupply,
  MAX_DEVICES,
} from '../../../shared/scheduling/devices/allocate-devices.ts';
import { toSupply } from '../../../shared/scheduling/devices/device-inventory.ts';
import { groupDevicePools } from '../../../shared/scheduling/devices/device-pools.ts';
import { aChoice, aDevice, aSliceOf, GPU_DRIVER, requestFor } from '../../support/devices.ts';

const COLOUR = `${GPU_DRIVER}/colour`;
const coloured = (colour: string): Partial<Device> => ({
  attributes: { colour: { string: colour } },
});
const selecting = (colour: string): string => `device.attributes["${GPU_DRIVER}"].colour == "${colour}"`;

const shelfOf = (devices: readonly Device[]): DeviceSupply => toSupply(groupDevicePools([aSliceOf('node', devices)]));
const wanting = (
  choices: Parameters<typeof requestFor>[0],
  constraints: readonly DeviceConstraint[] = [],
): ResolvedDeviceClaim => ({ claim: 'default/c', deviceRequest: requestFor(choices, constraints) });

const NONE_IN_USE = () => 0;
const namesOf = (allocation: AllocationResult): string[] | string =>
  allocation.outcome === 'allocated'
    ? allocation.allocations.map(({ supplied }) => supplied.device.name)
    : allocation.shortage.found;

const named = (colours: readonly string[]): Device[] =>
  colours.map((colour, at) => aDevice(`d${at}`, coloured(colour)));

describe('a device allocation', () => {
  const rainbow = named(['red', 'blue', 'red', 'green']);
  const match = (...requests: string[]): DeviceConstraint => ({
    requests,
    attribute: COLOUR,
    kind: 'match',
  });
  const distinct: DeviceConstraint = { requests: [], attribute: COLOUR, kind: 'distinct' };

  it.each([
    ['the first devices that are free', [aChoice({ count: 2 })], [], ['d0', 'd1']],
    ['devices that a selector picks', [aChoice({ selectors: [selecting('green')] })], [], ['d3']],
    ['two that match, if the first two do not', [aChoice({ count: 2 })], [match()], ['d0', 'd2']],
    ['devices of three colours', [aChoice({ count: 3 })], [distinct], ['d0', 'd1', 'd3']],
    [
      'devices of two requests that match each other',
      [aChoice({ name: 'a' }), aChoice({ name: 'b' })],
      [match('a', 'b')],
      ['d0', 'd2'],
    ],
    ['all that match', [aChoice({ count: 'all', selectors: [selecting('red')] })], [], ['d0', 'd2']],
  ])('finds %s', (_, choices, constraints, devices) => {
    const shelf = shelfOf(rainbow);
    expect(namesOf(allocateDevices([wanting(choices, constraints)], shelf, NONE_IN_USE))).toEqual(devices);
  });

  it('takes the first available alternative', () => {
    const request = {
      name: 'gpu',
      choices: [
        aChoice({ name: 'gpu/best', selectors: [selecting('gold')] }),
        aChoice({ name: 'gpu/good', selectors: [selecting('blue')] }),
      ],
    };
    const deviceRequest = { requests: [request], constraints: [] };
    const result = allocateDevices([{ claim: 'c', deviceRequest }], shelfOf(rainbow), NONE_IN_USE);
    expect(namesOf(result)).toEqual(['d1']);
  });

  it('ignores use by others with admin access, and uses nothing itself', () => {
    const watching = aChoice({ count: 'all', adminAccess: true });
    const all = allocateDevices([wanting([watching]), wanting([aChoice({ count: 4 })])], shelfOf(rainbow), NONE_IN_USE);
    expect(namesOf(all)).toHaveLength(8);
  });

  it.each([
    ['is tainted', aDevice('d', { taints: [{ key: 'broken', effect: 'NoSchedule' }] })],
    ['lacks the attribute of a constraint', aDevice('d')],
  ])('skips a device that %s', (_, device) => {
    const expected = wanting([aChoice()], [match()]);
    expect(allocateDevices([expected], shelfOf([device]), NONE_IN_USE).outcome).toBe('refused');
  });

  it('takes a tainted device that is tolerated', () => {
    const device = aDevice('d', { taints: [{ key: 'broken', effect: 'NoSchedule' }] });
    const tolerant = aChoice({ tolerations: [{ key: 'broken', operator: 'Exists' }] });
    expect(namesOf(allocateDevices([wanting([tolerant])], shelfOf([device]), NONE_IN_USE))).toEqual(['d']);
  });

  it.each([
    ['cannot be computed', 'device.attributes["gpu.example.com"].weight > 3', /No such key: weight/],
    ['cannot be read', 'device.(', /Expected/],
    ['loops in loops', '[1].all(a, [1].all(b, [1].all(c, [1].all(d, true))))', /costs more/],
  ])('fails if a selector %s', (_, selector, why) => {
    const expected = wanting([aChoice({ selectors: [selector] })]);
    expect(namesOf(allocateDevices([expected], shelfOf(rainbow), NONE_IN_USE))).toMatch(why);
  });

  it('has at most 32 devices per claim', () => {
    const many = named(Array.from({ length: 40 }, () => 'red'));
    const expected = (count: number) => wanting([aChoice({ count })]);
    expect(namesOf(allocateDevices([expected(MAX_DEVICES)], shelfOf(many), NONE_IN_USE))).toHaveLength(32);
    expect(allocateDevices([expected(33)], shelfOf(many), NONE_IN_USE).outcome).toBe('refused');
  });

  it('takes nothing from an incomplete pool', () => {
    const slice = aSliceOf('node', rainbow, { slicesInPool: 2 });
    const shelf = toSupply(groupDevicePools([slice]));
    expect(allocateDevices([wanting([aChoice()])], shelf, NONE_IN_USE).outcome).toBe('refused');
  });

  it('reads only the newest slices of a pool', () => {
    const old = aSliceOf('node', rainbow, { name: 'old' });
    const newer = aSliceOf('node', named(['gold']), { name: 'new', generation: 2 });
    const shelf = toSupply(groupDevicePools([old, newer]));
    expect(shelf.devices.map(({ device }) => device.attributes)).toEqual([{ colour: { string: 'gold' } }]);
  });
});

describe('any device allocation', () => {
  const colour = fc.constantFrom('red', 'blue');
  const anyRequest = fc.record({
    count: fc.integer({ min: 1, max: 3 }),
    colour: fc.option(colour, { nil: undefined }),
  });
  const anyCase = fc.record({
    devices: fc.array(colour, { maxLength: 6 }).map(named),
    requests: fc.array(anyRequest, { minLength: 1, maxLength: 3 }),
    taken: fc.uniqueArray(fc.integer({ min: 0, max: 5 }), { maxLength: 3 }),
    matching: fc.boolean(),
  });

  const wantedOf = ({ requests, matching }: typeof anyCase extends fc.Arbitrary<infer T> ? T : never) =>
    wanting(
      requests.map((one, at) =>
        aChoice({
          name: `r${at}`,
          count: one.count,
          selectors: one.colour ? [selecting(one.colour)] : [],
        }),
      ),
      matching ? [{ requests: [], attribute: COLOUR, kind: 'match' }] : [],
    );

  it('never uses a device twice or one in use, and keeps every constraint', () => {
    fc.assert(
      fc.property(anyCase, (one) => {
        const busy = new Set(one.taken.map((at) => `${GPU_DRIVER}/node/d${at}`));
        const inUse = (key: string) => (busy.has(key) ? 1 : 0);
        const result = allocateDevices([wantedOf(one)], shelfOf(one.devices), inUse);
        if (result.outcome === 'refused') return;

        const ids = result.allocations.map((taking) => taking.supplied.id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.filter((id) => busy.has(id))).toEqual([]);
        const colours = result.allocations.map((taking) => taking.supplied.device.attributes.colour);
        if (one.matching) expect(new Set(colours.map((c) => JSON.stringify(c))).size).toBe(1);
        expect(ids).toHaveLength(one.requests.reduce((all, { count }) => all + count, 0));
      }),
    );
  });

  it('succeeds whenever counting shows that it can', () => {
    fc.assert(
      fc.property(anyCase, (one) => {
        const free = one.devices.filter((_, at) => !one.taken.includes(at));
        const number = (expected: string) =>
          free.filter(({ attributes }) => JSON.stringify(attributes.colour).includes(expected)).length;
        const requested = (expected: string | undefined) =>
          one.requests.filter((r) => r.colour === expected).reduce((all, { count }) => all + count, 0);
        const [red, blue, any] = [requested('red'), requested('blue'), requested(undefined)];
        const isPossible = one.matching
          ? (blue === 0 && red + any <= number('red')) || (red === 0 && blue + any <= number('blue'))
          : red <= number('red') && blue <= number('blue') && red + blue + any <= free.length;

        const busy = new Set(one.taken.map((at) => `${GPU_DRIVER}/node/d${at}`));
        const inUse = (key: string) => (busy.has(key) ? 1 : 0);
        const { outcome } = allocateDevices([wantedOf(one)], shelfOf(one.devices), inUse);
        expect(outcome).toBe(isPossible ? 'allocated' : 'refused');
      }),
    );
  });
});
