import { describe, expect, it } from 'vitest';
import { listPodsToPlace } from '../../../shared/scheduling/input/plan-batch.ts';
import { prepare } from '../../../shared/scheduling/input/problem.ts';
import { solve } from '../../../shared/scheduling/search/solve.ts';
import { aSelector } from '../../support/builders.ts';
import { aCluster, createPods, fakeType, requesting, spreadOver, Z1, Z2, Z3, ZONE } from '../support/fixture.ts';
import { provision } from '../support/provision.ts';

describe('a batch of more than 500 pods', () => {
  it('fills the capacity that restricted pods leave with pods that can go anywhere', () => {
    const types = [fakeType('even', { cpus: 8.1, gib: 32.01, pods: 50 })];
    const flexible = createPods(300, 'any', { requests: requesting(1.5, 1) });
    const bound = [Z1, Z2, Z3].flatMap((zone) =>
      createPods(100, zone, { requests: requesting(0.5, 7), nodeSelector: { [ZONE]: zone } }),
    );

    const problem = prepare({ ...aCluster({ types }), pods: [...flexible, ...bound] });

    // Four of each kind fill a node to the last core and GiB.
    expect(solve(problem, listPodsToPlace(problem)).newNodes).toHaveLength(75);
  });

  it('places pods that spread by the counts of other pods first if they would find no place afterwards', () => {
    const types = [fakeType('roomy', { cpus: 64, gib: 64, pods: 200 })];
    const unavailable = [Z2, Z3].map((zone) => ({ zone, until: Number.MAX_SAFE_INTEGER }));
    const topologySpread = [spreadOver(ZONE, { selector: aSelector({ app: 'db' }) })];
    const watchers = createPods(600, 'a', { requests: requesting(0.1), topologySpread });
    const watched = createPods(2, 'b', { requests: requesting(1) }, { app: 'db' });
    const younger = watched.map((pod) => ({ ...pod, createdAt: pod.createdAt + 1 }));

    const { pending } = provision(aCluster({ types, unavailable }), ...watchers, ...younger);

    expect(pending).toEqual([]);
  });
});
