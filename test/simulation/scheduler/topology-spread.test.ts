import { describe, expect, it } from 'vitest';
import { HOSTNAME_LABEL, ZONE_LABEL } from '../../../shared/model/labels.ts';
import { DISRUPTED_TAINT } from '../../../shared/model/requirements/taints.ts';
import { spreadOver } from '../../scheduling/support/fixture.ts';
import { aRunningPod, podsOf, resources } from '../../support/builders.ts';
import { aHost, listPodNodes } from '../a-cluster.ts';
import { countsByZone, inZone, template } from './zone-pods.ts';

describe('topology spread in the simulated scheduler', () => {
  const zones = [inZone('a-1', 'a'), inZone('b-1', 'b'), inZone('c-1', 'c')];

  it('keeps zones within maxSkew', async () => {
    const pods = podsOf(7, template({ topologySpread: [spreadOver(ZONE_LABEL)] }));

    const counts = countsByZone(await listPodNodes(zones, pods));

    expect(Object.values(counts).toSorted()).toEqual([2, 2, 3]);
  });

  it('stops if the emptiest zone is full', async () => {
    const full = aHost('c-1', { [ZONE_LABEL]: 'c' }, { allocatable: resources(0, 0) });
    const pods = podsOf(7, template({ topologySpread: [spreadOver(ZONE_LABEL)] }));

    const counts = countsByZone(await listPodNodes([...zones.slice(0, 2), full], pods));

    expect(counts).toEqual({ a: 1, b: 1, nowhere: 5 });
  });

  it('counts a missing domain as empty while there are fewer than minDomains', async () => {
    const spread = spreadOver(ZONE_LABEL, { minDomains: 3 });
    const pods = podsOf(7, template({ topologySpread: [spread] }));

    const counts = countsByZone(await listPodNodes(zones.slice(0, 2), pods));

    expect(counts).toEqual({ a: 1, b: 1, nowhere: 5 });
  });

  it.each([
    ['Honor', { a: 3 }],
    ['Ignore', { a: 1, nowhere: 2 }],
  ] as const)('applies nodeAffinityPolicy %s', async (nodeAffinityPolicy, expected) => {
    const pods = podsOf(
      3,
      template({
        nodeSelector: { [ZONE_LABEL]: 'a' },
        topologySpread: [spreadOver(ZONE_LABEL, { nodeAffinityPolicy })],
      }),
    );

    expect(countsByZone(await listPodNodes(zones, pods))).toEqual(expected);
  });

  it.each([
    ['Honor', { a: 3 }],
    ['Ignore', { a: 1, nowhere: 2 }],
  ] as const)('applies nodeTaintsPolicy %s', async (nodeTaintsPolicy, expected) => {
    const tainted = aHost('b-1', { [ZONE_LABEL]: 'b' }, { taints: [DISRUPTED_TAINT] });
    const pods = podsOf(3, template({ topologySpread: [spreadOver(ZONE_LABEL, { nodeTaintsPolicy })] }));

    const locations = await listPodNodes([inZone('a-1', 'a'), tainted], pods);

    expect(countsByZone(locations)).toEqual(expected);
  });

  it('spreads over hostnames one by one', async () => {
    const pods = podsOf(3, template({ topologySpread: [spreadOver(HOSTNAME_LABEL)] }));

    expect(countsByZone(await listPodNodes(zones, pods))).toEqual({ a: 1, b: 1, c: 1 });
  });

  it('does not count terminating pods', async () => {
    const leaving = aRunningPod('a-1', { name: 'old', deletionAt: Number.MAX_SAFE_INTEGER });
    const pods = podsOf(2, template({ topologySpread: [spreadOver(ZONE_LABEL)] }));

    const { old: _, ...locations } = await listPodNodes(zones.slice(0, 2), [leaving, ...pods]);

    expect(countsByZone(locations)).toEqual({ a: 1, b: 1 });
  });

  it('distinguishes versions of a workload by matchLabelKeys', async () => {
    const spread = spreadOver(ZONE_LABEL, { matchLabelKeys: ['version'] });
    const old = aRunningPod('a-1', { name: 'old', labels: { app: 'web', version: '1' } });
    const pods = podsOf(2, {
      ...template({ topologySpread: [spread] }),
      labels: { app: 'web', version: '2' },
    });

    const { old: _, ...locations } = await listPodNodes(zones.slice(0, 2), [old, ...pods]);

    expect(countsByZone(locations)).toEqual({ a: 1, b: 1 });
  });

  it('keeps a pod off nodes without the key', async () => {
    const pods = podsOf(1, template({ topologySpread: [spreadOver('rack')] }));

    expect(await listPodNodes(zones, pods)).toEqual({ 'web-1': undefined });
  });

  it('treats ScheduleAnyway as a preference', async () => {
    const request = spreadOver(ZONE_LABEL, { whenUnsatisfiable: 'ScheduleAnyway' });
    const pods = podsOf(6, template({ topologySpread: [request] }));

    expect(countsByZone(await listPodNodes(zones, pods))).toEqual({ a: 2, b: 2, c: 2 });
    expect(countsByZone(await listPodNodes(zones.slice(0, 1), pods))).toEqual({ a: 6 });
  });
});
