import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../shared/model/time.ts';
import { aDaemonSet, aDeployment } from '../support/builders.ts';
import { aServedWorld, podsIn, runFor } from './support.ts';

describe('a simulated world', () => {
  it('runs every replica once there are nodes', async () => {
    const world = aServedWorld({ workloads: [aDeployment({ replicas: 40 }), aDaemonSet()] });

    await runFor(world, 5 * MINUTE_MS);

    const pods = await podsIn(world);
    const replicas = pods.filter(({ labels }) => labels.app === 'web');
    expect(replicas.map(({ phase }) => phase)).toEqual(Array(40).fill('Running'));
  });
});
