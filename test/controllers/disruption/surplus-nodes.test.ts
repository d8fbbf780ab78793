import { describe, expect, it } from 'vitest';
import { markSurplusNodes } from '../../../shared/controllers/disruption/surplus-nodes.ts';
import { observeCluster } from '../../../shared/controllers/observe-cluster.ts';
import { ON_SURPLUS_NODE_ANNOTATION, POD_DELETION_COST_ANNOTATION } from '../../../shared/model/labels.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { SURPLUS_TAINT, type Taint } from '../../../shared/model/requirements/taints.ts';
import { DEFAULT_SETTINGS, type SURPLUS_NODE_POLICIES } from '../../../shared/model/settings.ts';
import type { FakeWorld } from '../support/fake-ports.ts';
import { aSmallPod, withNodes } from './disruption-world.ts';

const TEAM: Taint = { key: 'team', value: 'a', effect: 'PreferNoSchedule' };
const OUR_COST = { [POD_DELETION_COST_ANNOTATION]: '-1', [ON_SURPLUS_NODE_ANNOTATION]: 'true' };

/** Nodes `a` and `b` with a pod each; `a` has a taint of its user, `b` ours. */
async function twoNodes(onA: Partial<Pod> = {}, onB: Partial<Pod> = {}): Promise<FakeWorld> {
  const world = await withNodes('ab', [aSmallPod('a', onA), aSmallPod('b', onB)]);
  const [a, b] = world.objects.nodes;
  if (!a || !b) throw new Error('there are no nodes');
  await world.ports.cluster.changeNode(a, { taints: [TEAM] });
  await world.ports.cluster.changeNode(b, { taints: [SURPLUS_TAINT] });
  return world;
}

async function mark(
  { ports }: FakeWorld,
  surplus: readonly string[] | undefined,
  podDeletionCosts?: Readonly<Record<string, number>>,
  surplusNodes: (typeof SURPLUS_NODE_POLICIES)[number] = podDeletionCosts ? 'TaintAndPodDeletionCost' : 'Taint',
): Promise<void> {
  const settings = { ...DEFAULT_SETTINGS, surplusNodes };
  const plan = {
    verdicts: [],
    ...(surplus && { surplus }),
    ...(podDeletionCosts && { podDeletionCosts }),
  };
  await markSurplusNodes({ ...ports, settings }, await observeCluster(ports), plan);
}

const listTaints = ({ objects }: FakeWorld) => objects.nodes.map(({ taints }) => taints);

describe('surplus nodes', () => {
  it('get the taint, and nodes that are no longer surplus lose it', async () => {
    const world = await twoNodes();
    await mark(world, ['a']);
    expect(listTaints(world)).toEqual([[TEAM, SURPLUS_TAINT], []]);
    expect(world.podCalls).toEqual([]);
  });

  it('lose it once the settings ignore them', async () => {
    const world = await twoNodes({}, { annotations: OUR_COST });
    await mark(world, undefined, undefined, 'Ignore');
    expect(listTaints(world)).toEqual([[TEAM], []]);
    expect(world.podCalls).toEqual(['cost none of default/on-b']);
  });

  it('keep it if data was missing for a plan', async () => {
    const world = await twoNodes();
    await mark(world, undefined);
    expect(listTaints(world)).toEqual([[TEAM], [SURPLUS_TAINT]]);
  });

  it('and others have pods with the deletion costs of the plan, the lowest first', async () => {
    const world = await twoNodes({}, { annotations: OUR_COST });
    await mark(world, ['a'], { a: -1, b: -3 });
    expect(world.podCalls).toEqual(['cost -3 of default/on-b', 'cost -1 of default/on-a']);
  });

  it('have pods that lose a cost which the plan does not have', async () => {
    const world = await twoNodes({}, { annotations: OUR_COST });
    await mark(world, ['a'], { a: -1 });
    expect(world.podCalls).toEqual(['cost -1 of default/on-a', 'cost none of default/on-b']);
  });

  it('are tainted although Mortise may not patch pods, which is tried once in a namespace', async () => {
    const pods = ['1', '2'].map((name) => aSmallPod('a', { name }));
    const world = await withNodes('a', [...pods, aSmallPod('a', { name: '3', namespace: 'shop' })]);
    world.ports.cluster.setPodDeletionCost = async ({ namespace, name }) => {
      world.podCalls.push(`${namespace}/${name}`);
      return namespace === 'shop' ? 'changed' : 'forbidden';
    };
    await mark(world, ['a'], { a: -1 });
    expect(world.podCalls.toSorted()).toEqual(['default/1', 'shop/3']);
    expect(listTaints(world)).toEqual([[SURPLUS_TAINT]]);
  });

  it('have at most 1,000 pods with a cost, those with the lowest', async () => {
    const namespaces = Array.from({ length: 30 }, (_, number) => `team-${number}`);
    const pods = namespaces.flatMap((namespace) =>
      Array.from({ length: 40 }, (_, number) => aSmallPod(number < 5 ? 'b' : 'a', { name: `${number}`, namespace })),
    );
    const world = await withNodes('ab', pods);
    await mark(world, [], { a: -1, b: -3 });

    expect(world.podCalls).toHaveLength(1000);
    expect(world.podCalls.filter((call) => call.startsWith('cost -3'))).toHaveLength(150);
  });

  it('wait for the next plan if there were too many changes lately', async () => {
    const world = await withNodes(
      'a',
      ['1', '2'].map((name) => aSmallPod('a', { name })),
    );
    world.ports.cluster.setPodDeletionCost = async ({ name }) => {
      world.podCalls.push(name);
      return 'limited';
    };
    await mark(world, [], { a: -1 });

    expect(world.podCalls).toEqual(['1']);
  });

  it.each<[string, Partial<Pod>]>([
    ['has a cost of its user', { annotations: { [POD_DELETION_COST_ANNOTATION]: '7' } }],
    ['is not of a ReplicaSet', { owner: { kind: 'StatefulSet', name: 'db', uid: 'db' } }],
    ['has the cost', { annotations: OUR_COST }],
  ])('leave a pod as it is that %s', async (_, pod) => {
    const world = await twoNodes(pod);
    await mark(world, ['a'], { a: -1 });
    expect(world.podCalls).toEqual([]);
  });
});
