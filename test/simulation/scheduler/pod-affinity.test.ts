import { describe, expect, it } from 'vitest';
import { HOSTNAME_LABEL, ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { PodAffinityTerm, PodSpec } from '../../../shared/model/pods/pod.ts';
import { aPodSpec, aRunningPod, aSelector, podsOf } from '../../support/builders.ts';
import { listPodNodes } from '../a-cluster.ts';
import { countsByZone, inZone, small, template, termFor } from './zone-pods.ts';

describe('pod affinity in the simulated scheduler', () => {
  const hosts = [inZone('a-1', 'a'), inZone('a-2', 'a'), inZone('b-1', 'b')];

  it('separates pods with anti-affinity', async () => {
    const pods = podsOf(4, template({ podAntiAffinity: [termFor(HOSTNAME_LABEL)] }));

    const counts = countsByZone(await listPodNodes(hosts, pods));

    expect(counts).toEqual({ a: 2, b: 1, nowhere: 1 });
  });

  it('respects the anti-affinity of bound pods', async () => {
    const guard = aRunningPod('a-1', {
      name: 'guard',
      labels: { app: 'guard' },
      spec: aPodSpec({ podAntiAffinity: [termFor(ZONE_LABEL)] }),
    });

    const locations = await listPodNodes(hosts, [guard, small('new', {}, { app: 'web' })]);

    expect(locations.new).toBe('b-1');
  });

  it('applies terms to their namespaces only', async () => {
    const guard = (term: Partial<PodAffinityTerm>) =>
      aRunningPod('a-1', {
        name: 'guard',
        namespace: 'bank',
        labels: { app: 'guard' },
        spec: aPodSpec({ podAntiAffinity: [termFor(ZONE_LABEL, term)] }),
      });
    const namespaces = { bank: {}, default: { team: 'shop' } };
    const placeBeside = async (term: Partial<PodAffinityTerm>) => {
      const pods = [guard(term), small('new', {}, { app: 'web' })];
      return (await listPodNodes(hosts.slice(0, 2), pods, namespaces)).new;
    };

    expect(await placeBeside({})).toBe('a-2');
    expect(await placeBeside({ namespaces: ['default'] })).toBeUndefined();
    expect(await placeBeside({ namespaceSelector: aSelector({ team: 'shop' }) })).toBeUndefined();
    expect(await placeBeside({ namespaceSelector: aSelector({ team: 'ads' }) })).toBe('a-2');
  });

  it('follows the pods that its affinity selects', async () => {
    const there = aRunningPod('b-1', { name: 'there', labels: { app: 'web' } });
    const wants = { podAffinity: [termFor(ZONE_LABEL)] };

    const locations = await listPodNodes(hosts, [there, small('new', wants)]);

    expect(locations.new).toBe('b-1');
  });

  it.each<[string, Partial<PodSpec>, string]>([
    ['away from', { preferredPodAntiAffinity: [{ weight: 100, term: termFor(ZONE_LABEL) }] }, 'b-1'],
    ['next to', { preferredPodAffinity: [{ weight: 100, term: termFor(HOSTNAME_LABEL) }] }, 'a-2'],
  ])('prefers nodes %s the selected pods, and accepts any other', async (...row) => {
    const [, request, location] = row;
    const there = aRunningPod('a-2', { name: 'there', labels: { app: 'web' } });
    const placeAmong = async (nodes: Parameters<typeof listPodNodes>[0]) =>
      (await listPodNodes(nodes, [there, small('new', request)])).new;

    expect(await placeAmong(hosts)).toBe(location);
    expect(await placeAmong(hosts.slice(0, 1))).toBe('a-1');
  });

  it('avoids the neighbours that prefer to be without it', async () => {
    const shy = { preferredPodAntiAffinity: [{ weight: 1, term: termFor(ZONE_LABEL) }] };
    const there = aRunningPod('a-1', { ...small('shy', shy), nodeName: 'a-1' });

    const locations = await listPodNodes(hosts, [there, small('new', {}, { app: 'web' })]);

    expect(locations.new).toBe('b-1');
  });

  it('waits if no selected pod runs', async () => {
    const wants = { podAffinity: [termFor(ZONE_LABEL)] };

    expect(await listPodNodes(hosts, [small('new', wants)])).toEqual({ new: undefined });
  });

  it('starts a group with affinity to itself anywhere, and keeps it together', async () => {
    const pods = podsOf(5, template({ podAffinity: [termFor(ZONE_LABEL)] }));

    const counts = countsByZone(await listPodNodes(hosts, pods));

    expect(Object.values(counts)).toEqual([5]);
  });
});
