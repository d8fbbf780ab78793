import { describe, expect, it } from 'vitest';
import { removeExpiredSteeringTaints } from '../../../shared/controllers/disruption/reconcile.ts';
import {
  EXPENSIVE_POOL_TAINT,
  FILL_LAST_TAINT,
  SURPLUS_TAINT,
  type Taint,
} from '../../../shared/model/requirements/taints.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { aSmallPod, withNodes } from './disruption-world.ts';

const TEAM: Taint = { key: 'team', value: 'a', effect: 'PreferNoSchedule' };
const FIVE_MINUTES_MS = 5 * 60_000;

/** Returns the taints of a node that had one of its user and ours, at an age of the node. */
async function listTaintsLeft(steerPods: boolean, ageMs: number): Promise<readonly Taint[]> {
  const world = await withNodes('a', [aSmallPod('a')]);
  const { ports } = world;
  const [node] = world.objects.nodes;
  if (!node) throw new Error('there is no node');
  await ports.cluster.changeNode(node, {
    taints: [TEAM, EXPENSIVE_POOL_TAINT, SURPLUS_TAINT, FILL_LAST_TAINT],
  });
  const settings = { ...DEFAULT_SETTINGS, steerPods };
  const takenAt = node.createdAt + ageMs;
  await removeExpiredSteeringTaints({ ...ports, settings }, { nodes: world.objects.nodes, takenAt });
  return world.objects.nodes.flatMap(({ taints }) => taints);
}

describe('the taints by which new nodes steer pods', () => {
  it('are removed from running nodes once pods are no longer steered', async () => {
    expect(await listTaintsLeft(false, 0)).toEqual([TEAM, SURPLUS_TAINT]);
  });

  it('stay for the first five minutes of a node', async () => {
    const all = [TEAM, EXPENSIVE_POOL_TAINT, SURPLUS_TAINT, FILL_LAST_TAINT];

    expect(await listTaintsLeft(true, FIVE_MINUTES_MS - 1)).toEqual(all);
  });

  it('no longer make a node fill last after five minutes', async () => {
    const others = [TEAM, EXPENSIVE_POOL_TAINT, SURPLUS_TAINT];

    expect(await listTaintsLeft(true, FIVE_MINUTES_MS)).toEqual(others);
  });
});
