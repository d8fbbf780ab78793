import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../lab/wait-until.ts';
import { readLaunchTimes } from '../launch-times.ts';
import { percentile, type Scenario } from '../scenario.ts';

const RUNS = 10;

/**
 * Measures repeatedly the time from `kubectl apply` of one pod that fits nowhere to CreateFleet.
 */
export const singlePod: Scenario = {
  name: 'a single pod waits',
  id: 'single',
  async run(lab, world) {
    await world.pool();
    await sleep(2_000);
    const latencies: number[] = [];
    const startedAt = Date.now();
    for (let run = 0; run <= RUNS; run += 1) {
      const before = lab.ec2.fleetCalls.length;
      const start = Date.now();
      // More than half of a node: no node has room for two.
      await world.deployment(`pod-${run}`, 1, { cpu: '3200m', spec: ONE_OF_A_KIND });
      const call = await waitUntil('CreateFleet', () => lab.ec2.fleetCalls[before], {
        everyMs: 10,
        timeoutMs: 90_000,
      });
      latencies.push(call.at - start);
      await world.waitForRunning(run + 1);
      await sleep(500);
    }
    const [first = Number.NaN, ...warm] = latencies;
    return {
      afterIdleMs: first,
      p50Ms: percentile(warm, 0.5),
      p99Ms: percentile(warm, 0.99),
      readyToBoundP50Ms: percentile(readyToBound(lab.nodes, world.id), 0.5),
      ...(await readLaunchTimes(lab, startedAt)),
    };
  },
};

/** Anti-affinity puts each pod on a node of its own, whatever the node sizes. */
export const ONE_OF_A_KIND = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: {}, topologyKey: 'kubernetes.io/hostname' }],
    },
  },
};

/** Computes how long pods took to be bound after their node was Ready. */
export const readyToBound = (
  {
    pods,
    readyAt,
  }: {
    readonly pods: ReadonlyMap<string, { boundAt?: number; node?: string }>;
    readonly readyAt: ReadonlyMap<string, number>;
  },
  namespace: string,
): readonly number[] =>
  [...pods].flatMap(([key, { boundAt, node }]) => {
    const ready = readyAt.get(node ?? '');
    const isOurs = key.startsWith(`${namespace}/`);
    return isOurs && boundAt !== undefined && ready !== undefined ? [boundAt - ready] : [];
  });
