import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kubernetesCluster } from '../../../shared/kubernetes/kubernetes-cluster.ts';
import { readNode } from '../../../shared/kubernetes/readers/read-node.ts';
import { readNodePool } from '../../../shared/kubernetes/readers/read-node-pool.ts';
import { readPod } from '../../../shared/kubernetes/readers/read-pod.ts';
import { readPodDisruptionBudget } from '../../../shared/kubernetes/readers/read-pod-disruption-budget.ts';
import { createPodTemplateReader } from '../../../shared/kubernetes/readers/read-pod-template.ts';
import { createClusterView } from '../../../shared/kubernetes/watch/cluster-view.ts';
import type { ClusterObjects } from '../../../shared/ports/cluster.ts';
import { NOON } from '../../support/builders.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import { aLiveBudget, aLiveNode, aLivePod, aLivePool, aLiveRunningPod, COLLECTIONS } from '../support/live-objects.ts';

const { pods, nodes } = COLLECTIONS;
const names = fc.constantFrom('a', 'b', 'c');

/** A random change of the cluster or of the connection to it. */
type Happening = (double: ApiDouble) => unknown;
const happenings: fc.Arbitrary<Happening> = fc.oneof(
  names.map((name) => (double: ApiDouble) => double.put(pods, aLivePod({ name }))),
  names.map((name) => (double: ApiDouble) => double.put(pods, aLiveRunningPod({ name }))),
  names.map((name) => (double: ApiDouble) => double.table.remove(pods, `default/${name}`)),
  names.map((name) => (double: ApiDouble) => double.put(nodes, aLiveNode({ name }))),
  names.map((name) => (double: ApiDouble) => double.put(nodes, aLiveNode({ name, spec: { taints: 'odd' } }))),
  names.map((name) => (double: ApiDouble) => double.table.remove(nodes, `/${name}`)),
  fc.constant((double: ApiDouble) => double.table.bookmark()),
  fc.constant((double: ApiDouble) => double.cutWatches()),
  fc.constant((double: ApiDouble) => double.table.forgetHistory()),
);

const withoutHistory = ({ lastPodEventAt: _, ...objects }: ClusterObjects): object => objects;

describe('a watched cluster', () => {
  it('equals a list after any sequence of changes and connection faults', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(happenings, { maxLength: 6 }), { minLength: 1, maxLength: 5 }),
        async (rounds) => {
          const double = await startApiDouble();
          double.pageSize = 2;
          const parts = { api: connect(double).api, clock: { now: () => NOON } };
          const view = createClusterView(parts);
          try {
            for (const round of rounds) {
              for (const happen of round) await happen(double);
              const watched = await view.observe();
              const listed = await kubernetesCluster(parts).observe();
              expect(withoutHistory(watched)).toEqual(withoutHistory(listed));
            }
          } finally {
            view.close();
            await double.close();
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('a reader', () => {
  const templates = createPodTemplateReader();
  const readers = [
    { read: (raw: unknown) => readPod(templates, raw), sound: aLiveRunningPod() },
    { read: readNode, sound: aLiveNode() },
    { read: readNodePool, sound: aLivePool() },
    { read: readPodDisruptionBudget, sound: aLiveBudget() },
  ];

  it.each(readers)('returns a result whatever one field of the object contains: %#', ({ read, sound }) => {
    const text = JSON.stringify({ ...sound, metadata: { ...sound.metadata, uid: 'u' } });
    fc.assert(
      fc.property(fc.nat(), fc.jsonValue({ maxDepth: 2 }), (position, value) => {
        const object: unknown = replaceAt(JSON.parse(text), position, value);
        expect(['read', 'unreadable']).toContain(read(object).outcome);
      }),
      { numRuns: 300 },
    );
  });
});

/** Replaces the node at `position` (depth first) by `value`. */
function replaceAt(tree: unknown, position: number, value: unknown): unknown {
  const paths: (readonly (string | number)[])[] = [];
  const visit = (node: unknown, path: readonly (string | number)[]): void => {
    paths.push(path);
    if (typeof node !== 'object' || node === null) return;
    for (const [key, child] of Object.entries(node)) visit(child, [...path, key]);
  };
  visit(tree, []);
  const path = paths[position % paths.length] ?? [];
  const replace = (node: unknown, [key, ...rest]: readonly (string | number)[]): unknown => {
    if (key === undefined) return value;
    if (Array.isArray(node)) {
      return node.map((child: unknown, index) => (`${index}` === key ? replace(child, rest) : child));
    }
    return Object.fromEntries(
      Object.entries(node ?? {}).map(([name, child]: [string, unknown]) => [
        name,
        name === key ? replace(child, rest) : child,
      ]),
    );
  };
  return replace(tree, path);
}
