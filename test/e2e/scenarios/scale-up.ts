import { setTimeout as sleep } from 'node:timers/promises';
import type { Lab } from '../lab/start-lab.ts';
import { readLaunchTimes } from '../launch-times.ts';
import { type Measures, percentile, type Scenario, type World } from '../scenario.ts';
import { nodesOf } from '../world.ts';
import { readyToBound } from './single-pod.ts';

const ZONAL_SPREAD = {
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'web' } },
    },
  ],
};

export const zeroToHundred: Scenario = {
  name: 'a Deployment goes from 0 to 100',
  id: 'hundred',
  run: (lab, world) => scaleUp(lab, world, 100),
};

export const burst: Scenario = {
  name: 'a burst of 500 pods',
  id: 'burst',
  run: (lab, world) => scaleUp(lab, world, 500),
};

async function scaleUp(lab: Lab, world: World, replicas: number): Promise<Measures> {
  await world.pool();
  await world.deployment('web', 0, { cpu: '250m', spec: ZONAL_SPREAD });
  await sleep(2_000);

  const before = lab.ec2.fleetCalls.length;
  const start = Date.now();
  await world.scale('web', replicas);
  const pods = await world.waitForRunning(replicas, 180_000);
  const calls = lab.ec2.fleetCalls.slice(before).filter(({ outcome }) => outcome === 'launched');
  const created = [...lab.nodes.pods].filter(([key]) => key.startsWith(`${world.id}/`));
  const lastPod = Math.max(...created.map(([, { createdAt }]) => createdAt));
  const firstCall = Math.min(...calls.map(({ at }) => at));
  const lastCall = Math.max(...calls.map(({ at }) => at));
  return {
    firstCallMs: firstCall - start,
    lastPodCreatedMs: lastPod - start,
    allRequestedAfterLastPodMs: lastCall - lastPod,
    runningMs: Date.now() - start,
    calls: calls.length,
    nodes: nodesOf(pods).length,
    readyToBoundP50Ms: percentile(readyToBound(lab.nodes, world.id), 0.5),
    ...(await readLaunchTimes(lab, start)),
  };
}
