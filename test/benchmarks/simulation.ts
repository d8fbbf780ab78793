import { ZONE_LABEL } from '../../shared/model/labels.ts';
import type { Workload } from '../../shared/model/pods/workload.ts';
import { DAY_MS } from '../../shared/model/time.ts';
import { aServedWorld } from '../simulation/support.ts';
import {
  aDaemonSet,
  aDeployment,
  aJob,
  aPodDisruptionBudget,
  aPodSpec,
  aPodTemplate,
  aSelector,
  resources,
} from '../support/builders.ts';

/** Deployments that scale between 2,000 and 5,000 pods six times a day; a third has a spread. */
const deployment = (index: number): Workload => {
  const labels = { app: `web-${index}` };
  const spread = {
    key: ZONE_LABEL,
    maxSkew: 1,
    whenUnsatisfiable: 'DoNotSchedule' as const,
    selector: aSelector(labels),
    matchLabelKeys: [],
    nodeAffinityPolicy: 'Honor' as const,
    nodeTaintsPolicy: 'Ignore' as const,
  };
  const spec = aPodSpec({
    requests: resources(0.25, 1, { pods: 1 }),
    topologySpread: index % 3 === 0 ? [spread] : [],
  });
  const hours = [0, 4, 8, 12, 16, 20].map((hour, step) => `${hour}:00=${step % 2 ? 160 : 65}`);
  return aDeployment({
    name: `web-${index}`,
    annotations: { 'simulation.mortise.sh/replicas': hours.join(' ') },
    template: aPodTemplate({ labels, spec }),
  });
};

const job = (index: number): Workload =>
  aJob({
    name: `batch-${index}`,
    completions: 2_000,
    parallelism: 20,
    runForMs: 600_000,
    template: aPodTemplate({
      labels: { app: `batch-${index}` },
      spec: aPodSpec({ requests: resources(0.5, 1, { pods: 1 }) }),
    }),
  });

const world = aServedWorld({
  workloads: [
    ...Array.from({ length: 30 }, (_, index) => deployment(index)),
    ...Array.from({ length: 5 }, (_, index) => job(index)),
    ...['agent', 'logs', 'proxy'].map((name) => aDaemonSet({ name })),
  ],
  podDisruptionBudgets: Array.from({ length: 30 }, (_, index) =>
    aPodDisruptionBudget({
      name: `web-${index}`,
      selector: aSelector({ app: `web-${index}` }),
      maxUnavailable: '10%',
    }),
  ),
});

const began = performance.now();
for (let hour = 0; hour < 24; hour += 1) {
  await world.clock.runUntil(world.clock.now() + DAY_MS / 24);
}
const tookMs = performance.now() - began;

const { ledger } = world;
const { pods, nodes } = await world.ports.cluster.observe();
process.stdout.write(
  `${[
    `24 h in ${(tookMs / 1000).toFixed(1)} s`,
    `${pods.length} pods, ${nodes.length} nodes at the end`,
    `${ledger.createdPods} created, ${ledger.finishedPods} finished, ${ledger.points.length} points`,
    `$${ledger.costUsd(world.clock.now()).toFixed(2)}`,
    `${Math.round(process.memoryUsage().heapUsed / 2 ** 20)} MiB heap`,
  ].join('\n')}\n`,
);
