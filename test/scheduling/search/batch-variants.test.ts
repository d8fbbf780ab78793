import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { aSelector } from '../../support/builders.ts';
import { aCluster, createPods, fakeType, requesting, spreadOver, Z1, Z3, ZONE } from '../support/fixture.ts';
import { countPodsPerDomain, countPodsPerNode, provision } from '../support/provision.ts';

const types = [2, 4, 16].map((cpus) => fakeType(`of-${cpus}`, { cpus, gib: cpus, pods: 50 }));
const half = { requests: requesting(0.5) };

describe('a spread that cannot be met completely', () => {
  const soft = {
    ...half,
    topologySpread: [spreadOver(ZONE, { whenUnsatisfiable: 'ScheduleAnyway' as const })],
  };
  const unavailable = { unavailable: [{ zone: Z3, until: Number.MAX_SAFE_INTEGER }] };

  it('is given up for all pods of the class if that costs less', () => {
    const outcome = provision(aCluster({ types, ...unavailable }), ...createPods(6, 'a', soft));

    expect(countPodsPerNode(outcome)).toEqual([6]);
  });

  it('is kept if every pod can have it', () => {
    expect(countPodsPerDomain(provision(aCluster({ types }), ...createPods(6, 'a', soft)))).toEqual([2, 2, 2]);
  });
});

describe('pods that spread by the counts of other pods', () => {
  const apart = spreadOver(ZONE, { selector: aSelector({ app: 'db' }) });
  const watchers = createPods(4, 'a', { ...half, topologySpread: [apart] });
  const watched = createPods(2, 'b', { ...half, nodeSelector: { [ZONE]: Z1 } }, { app: 'db' });
  const younger = (pods: readonly Pod[]): Pod[] => pods.map((pod) => ({ ...pod, createdAt: pod.createdAt + 1 }));
  const important = (pods: readonly Pod[]): Pod[] =>
    pods.map((pod) => ({ ...pod, spec: { ...pod.spec, priority: 1 } }));

  it.each<[string, readonly Pod[], number[]]>([
    ['go beside them if they are bound before', [...watchers, ...younger(watched)], [6]],
    ['keep away if they are bound after', [...younger(watchers), ...watched], [2, 4]],
    [
      'go beside them if they are younger, but come first by priority',
      [...important(younger(watchers)), ...watched],
      [6],
    ],
  ])('%s', (_, pods, counts) => {
    const outcome = provision(aCluster({ types }), ...pods);

    expect(countPodsPerDomain(outcome, ZONE, { matchLabels: {}, matchExpressions: [] })).toEqual(counts);
  });
});
