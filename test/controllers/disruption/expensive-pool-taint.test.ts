import { describe, expect, it } from 'vitest';
import { reconcileDisruption } from '../../../shared/controllers/disruption/reconcile.ts';
import { EXPENSIVE_POOL_TAINT, type Taint } from '../../../shared/model/requirements/taints.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import type { FakeWorld } from '../support/fake-ports.ts';
import { aSmallPod, withNodes } from './disruption-world.ts';

const TEAM: Taint = { key: 'team', value: 'a', effect: 'PreferNoSchedule' };

/** A node with a pod, the taint of expensive pools and one of its user. */
async function aTaintedNode(): Promise<FakeWorld> {
  const world = await withNodes('a', [aSmallPod('a')]);
  const [node] = world.objects.nodes;
  if (!node) throw new Error('there is no node');
  await world.ports.cluster.changeNode(node, { taints: [TEAM, EXPENSIVE_POOL_TAINT] });
  return world;
}

const reconcileWith = ({ ports }: FakeWorld, steerPods: boolean) =>
  reconcileDisruption({ ...ports, settings: { ...DEFAULT_SETTINGS, steerPods } });
const listTaints = ({ objects }: FakeWorld) => objects.nodes.flatMap(({ taints }) => taints);

describe('the taint of expensive NodePools', () => {
  it('is removed from running nodes once pods are no longer steered', async () => {
    const world = await aTaintedNode();
    await reconcileWith(world, false);

    expect(listTaints(world)).toEqual([TEAM]);
  });

  it('stays while pods are steered', async () => {
    const world = await aTaintedNode();
    await reconcileWith(world, true);

    expect(listTaints(world)).toEqual([TEAM, EXPENSIVE_POOL_TAINT]);
  });
});
