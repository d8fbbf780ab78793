import { describe, expect, it } from 'vitest';
import { NODES } from '../../../shared/model/resources.ts';
import { NOON } from '../../support/builders.ts';
import {
  aCluster,
  affinityTo,
  aPool,
  aPoolRequiring,
  createPods,
  fakeType,
  GPU_A,
  HOSTNAME,
  need,
  requesting,
  TYPE,
  tiny,
  withPools,
} from '../support/fixture.ts';
import { listLaunchedTypes, listReasonCodes, provision } from '../support/provision.ts';

const cpus = (count: number) => ({ cpu: count * 1000 });
const limited = (limits: Readonly<Record<string, number>>) => aCluster({ pools: [aPool({ limits })] });
const apart = { podAntiAffinity: [affinityTo('web', HOSTNAME)] };

describe('NodePool limits', () => {
  it.each([
    ['1.75 CPUs within 2', { requests: requesting(1.75) }, cpus(2), true],
    ['2.1 CPUs within 2', { requests: requesting(2.1) }, cpus(2), false],
    ['pods count by what a node may run', { requests: requesting(0, 0, { [GPU_A]: 1 }) }, { pods: 1 }, false],
    ['a limit of nothing', {}, cpus(0), false],
    ['a limit on what the node does not have', {}, { 'example.com/device': 0 }, true],
  ])('hold for %s', (_, spec, limits, placed) => {
    const outcome = provision(limited(limits), tiny('a', spec));

    expect(outcome.pending).toEqual(placed ? [] : ['a']);
    expect(listReasonCodes(outcome)).toEqual(placed ? [] : ['limit-reached']);
  });

  it('launch nothing if they are already exceeded', () => {
    const full = provision(aCluster(), ...createPods(3, 'old', { requests: requesting(1.5) })).after;
    const outcome = provision(withPools(full, aPool({ limits: cpus(1) })), tiny('a', apart));

    expect(outcome.pending).toEqual(['a']);
  });

  it('place one of two separated pods if they allow one node', () => {
    const outcome = provision(limited(cpus(3)), ...createPods(2, 'a', { ...apart, requests: requesting(1.5) }));

    expect(outcome.launched).toHaveLength(1);
    expect(outcome.pending).toHaveLength(1);
  });

  it('hold from loop to loop', () => {
    const first = provision(limited(cpus(2)), tiny('a', { requests: requesting(1.75) }));
    const second = provision(first.after, tiny('b', { requests: requesting(1.75) }));

    expect(first.pending).toEqual([]);
    expect(second.pending).toEqual(['b']);
  });

  it('count nodes from loop to loop', () => {
    const pod = (name: string) => tiny(name, apart);
    const first = provision(limited({ [NODES]: 2 }), pod('a'));
    const second = provision(first.after, pod('b'));
    const third = provision(second.after, pod('c'));

    expect([first, second, third].map(({ pending }) => pending)).toEqual([[], [], ['c']]);
    expect(listReasonCodes(third)).toEqual(['limit-reached']);
  });

  it('count nodes within a loop', () => {
    const outcome = provision(limited({ [NODES]: 2 }), ...createPods(5, 'a', apart));

    expect(outcome.launched).toHaveLength(2);
    expect(outcome.pending).toHaveLength(3);
  });

  it('let a lighter NodePool take over when they are reached', () => {
    const cluster = aCluster({
      pools: [aPool({ name: 'a', weight: 10, limits: cpus(2) }), aPool({ name: 'b' })],
    });
    const outcome = provision(cluster, ...createPods(2, 'a', { ...apart, requests: requesting(1.5) }));

    expect(outcome.plan.claims.map(({ claim }) => claim.pool).toSorted()).toEqual(['a', 'b']);
  });

  it('are used up before a lighter NodePool is used', () => {
    const types = [1, 2, 4, 8, 16].map((count) => fakeType(`c${count}`, { cpus: count, gib: 4 * count, pods: 50 }));
    const pools = [aPool({ name: 'light' }), aPool({ name: 'heavy', weight: 10, limits: cpus(2) })];
    const outcome = provision(
      aCluster({ types, pools }),
      ...createPods(2, 'a', { requests: requesting(1) }),
      ...createPods(2, 'b', { requests: requesting(7) }),
    );

    expect(outcome.pending).toEqual([]);
    expect(outcome.plan.claims.map(({ claim }) => claim.pool)).toContain('heavy');
  });

  it('keep as many types open as minValues require', () => {
    const pool = { ...aPoolRequiring({ ...need(TYPE, 'Exists'), minValues: 2 }), limits: cpus(12) };
    const outcome = provision(
      aCluster({ pools: [pool] }),
      ...createPods(4, 'a', { ...apart, requests: requesting(0.5) }),
    );

    expect(outcome.plan.claims.length).toBeGreaterThan(1);
    for (const { claim } of outcome.plan.claims) {
      expect(claim.instanceTypes.length).toBeGreaterThan(1);
    }
  });

  it('do not count nodes that are being removed', () => {
    const { after } = provision(limited(cpus(2)), tiny('old', { requests: requesting(1.5) }));
    const going = {
      ...after,
      pods: [],
      claims: after.claims.map((claim) => ({ ...claim, deletingAt: NOON })),
    };

    expect(provision(after, tiny('a', { requests: requesting(1.5) })).pending).toEqual(['a']);
    expect(provision(going, tiny('a', { requests: requesting(1.5) })).pending).toEqual([]);
  });

  it('remove types that are too large, not pods', () => {
    const outcome = provision(limited(cpus(4)), ...createPods(2, 'a', { ...apart, requests: requesting(1) }));

    expect(outcome.pending).toEqual([]);
    expect(listLaunchedTypes(outcome)).toEqual(['small', 'small']);
    expect(outcome.plan.claims.map(({ claim }) => claim.instanceTypes)).toEqual([['small'], ['small']]);
  });

  it('are explained with the resource and the smallest suitable node', () => {
    const { pools = [] } =
      provision(aCluster({ pools: [{ ...aPoolRequiring(need(TYPE, 'In', 'default')), limits: cpus(2) }] }), tiny('a'))
        .plan.unplaced[0] ?? {};

    expect(pools[0]?.reasons[0]?.fields).toMatchObject({
      resource: 'cpu',
      used: '0',
      limit: '2',
      type: 'default',
      needed: '4',
    });
  });
});
