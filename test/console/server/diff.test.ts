import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyPatch, createClusterModel } from '../../../console/page/store/cluster-model.ts';
import { diffStates } from '../../../console/server/diff.ts';
import { stateView } from '../../../console/views/state.ts';
import type { NodeView, PodView, StateView } from '../../../console/views.ts';
import { NOON } from '../../support/builders.ts';
import { someFacts } from '../support/facts.ts';

const EMPTY = stateView(someFacts());
const NODE_NAMES = ['a', 'b', 'c', 'd'] as const;

const aNodeView = (name: string, bornAt: number): NodeView => ({
  name,
  instanceType: 'm7g.large',
  zone: 'us-east-1a',
  vcpu: 2,
  allocatable: { cpuMilli: 1_900, memoryMib: 7_000, gpu: 0, pods: 29 },
  requested: { cpuMilli: 0, memoryMib: 0, gpu: 0, pods: 0 },
  daemon: { cpuMilli: 0, memoryMib: 0, gpu: 0, pods: 0 },
  bornAt,
  state: 'ready',
  stateSince: NOON,
  holds: [],
});

const aPodView = (name: string, node: string | undefined, nominated: boolean): PodView => ({
  key: `shop/${name}`,
  namespace: 'shop',
  name,
  workload: 'web',
  requests: { cpuMilli: 100, memoryMib: 100, gpu: 0, pods: 1 },
  ...(node === undefined ? {} : nominated ? { nominated: node } : { node }),
  state: node === undefined || nominated ? 'pending' : 'running',
  since: NOON,
  daemon: false,
});

const anyState: fc.Arbitrary<StateView> = fc
  .record({
    nodes: fc.uniqueArray(fc.tuple(fc.constantFrom(...NODE_NAMES), fc.nat(3)), {
      selector: ([name]) => name,
    }),
    pods: fc.uniqueArray(
      fc.tuple(
        fc.constantFrom('p1', 'p2', 'p3', 'p4', 'p5'),
        fc.option(fc.constantFrom(...NODE_NAMES), { nil: undefined }),
        fc.boolean(),
      ),
      { selector: ([name]) => name },
    ),
  })
  .map(({ nodes, pods }) => ({
    ...EMPTY,
    nodes: nodes.map(([name, bornAt]) => aNodeView(name, bornAt)),
    pods: pods.map(([name, node, nominated]) => aPodView(name, node, nominated)),
  }));

/** Independent of insertion order. */
const shape = (state: StateView) => {
  const model = createClusterModel({ ...state, events: [] });
  return shapeOf(model);
};
const shapeOf = ({ nodes, pods }: ReturnType<typeof createClusterModel>) => ({
  pods: [...pods.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1)),
  nodes: [...nodes.values()]
    .map(({ node, pods: own }) => ({ node, pods: own.map(({ key }) => key).toSorted() }))
    .toSorted((a, b) => (a.node.name < b.node.name ? -1 : 1)),
});

describe('patches', () => {
  it('turn any state into any other', () => {
    fc.assert(
      fc.property(anyState, anyState, (before, after) => {
        const patch = diffStates(before, after);
        const model = createClusterModel({ ...before, events: [] });
        expect(shapeOf(patch ? applyPatch(model, patch) : model)).toEqual(shape(after));
      }),
    );
  });

  it('are undefined between equal states', () => {
    fc.assert(
      fc.property(anyState, (state) => {
        expect(diffStates(state, structuredClone(state))).toBeUndefined();
      }),
    );
  });

  it('keep the objects of unchanged nodes', () => {
    const state = { ...EMPTY, nodes: [aNodeView('a', 1), aNodeView('b', 2)] };
    const model = createClusterModel({ ...state, events: [] });
    const patch = diffStates(state, { ...state, pods: [aPodView('p1', 'b', false)] });
    const next = patch && applyPatch(model, patch);

    expect(next?.nodes.get('a')).toBe(model.nodes.get('a'));
    expect(next?.nodes.get('b')).not.toBe(model.nodes.get('b'));
  });
});
