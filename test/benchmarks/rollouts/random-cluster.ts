import type { ClusterManifests } from '../../../shared/api/manifests/cluster-manifests.ts';
import { CAPACITY_TYPE_LABEL, HOSTNAME_LABEL, OS_LABEL, ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import type { PodSpec } from '../../../shared/model/pods/pod.ts';
import type { Deployment, StatefulSet } from '../../../shared/model/pods/workload.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import {
  aDaemonSet,
  aDeployment,
  aNodeClass,
  aNodePool,
  aPodDisruptionBudget,
  aPodSpec,
  aPodTemplate,
  aSelector,
  aStatefulSet,
  resources,
} from '../../support/builders.ts';
import { type BenchmarkRandom, createBenchmarkRandom } from '../inputs/seeded-random.ts';

const CPUS = [0.1, 0.25, 0.5, 0.5, 1, 1, 2, 4] as const;
const GIB_PER_CPU = [1, 2, 4, 4, 8] as const;
const BUDGETS = ['1', '10%', '20%', '30%'] as const;
const RULES = ['none', 'none', 'zone', 'zone-preferred', 'host', 'apart', 'together'] as const;

/** Up to three NodePools, four to twelve workloads with rules of topology, volumes and PodDisruptionBudgets. */
export function createRandomCluster(seed: number): ClusterManifests {
  const random = createBenchmarkRandom(seed);
  const pools = Array.from({ length: 1 + random.below(3) }, (_, index) => drawPool(index, random));
  const workloads = Array.from({ length: 4 + random.below(9) }, (_, index) =>
    drawWorkload(index, pools[random.below(pools.length)] ?? aNodePool(), random),
  );
  const budgeted = workloads.filter(() => random.below(3) > 0);
  return {
    pools,
    nodeClasses: [aNodeClass()],
    workloads: [...workloads, aDaemonSet({ name: 'agent' })],
    pods: [],
    podDisruptionBudgets: budgeted.map(({ name }) =>
      aPodDisruptionBudget({
        name,
        selector: aSelector({ app: name }),
        maxUnavailable: random.oneOf(['1', '2', '25%']),
      }),
    ),
    skipped: [],
  };
}

/** Each pool has a taint of its own, so that workloads choose one. */
function drawPool(index: number, random: BenchmarkRandom): NodePool {
  const name = `pool-${index}`;
  return aNodePool({
    name,
    labels: { pool: name },
    taints: [{ key: 'pool', value: name, effect: 'NoSchedule' }],
    requirements: [
      { key: OS_LABEL, operator: 'In', values: ['linux'] },
      { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
      { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['c', 'm', 'r'] },
      { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['5'] },
      {
        key: 'karpenter.k8s.aws/instance-cpu',
        operator: 'Lt',
        values: [random.oneOf(['9', '17'])],
      },
      {
        key: CAPACITY_TYPE_LABEL,
        operator: 'In',
        values: random.oneOf([['on-demand'], ['on-demand'], ['spot', 'on-demand']]),
      },
    ],
    disruption: {
      consolidateAfterMs: random.oneOf([0, MINUTE_MS, 5 * MINUTE_MS]),
      policy: random.oneOf(['WhenEmptyOrUnderutilized', 'WhenEmpty']),
      budgets: [{ nodes: random.oneOf(BUDGETS) }],
    },
  });
}

function drawWorkload(index: number, pool: NodePool, random: BenchmarkRandom): Deployment | StatefulSet {
  const name = `app-${index}`;
  const labels = { app: name };
  const cpu = random.oneOf(CPUS);
  const spec = aPodSpec({
    requests: resources(cpu, cpu * random.oneOf(GIB_PER_CPU), { pods: 1 }),
    nodeSelector: { pool: pool.name },
    tolerations: [{ key: 'pool', operator: 'Equal', value: pool.name, effect: 'NoSchedule' }],
    ...rulesOf(random.oneOf(RULES), labels),
  });
  const template = aPodTemplate({ labels, spec });
  if (random.below(5) > 0) return aDeployment({ name, replicas: 2 + random.below(19), template });
  return aStatefulSet({
    ...{ name, replicas: 1 + random.below(4), template },
    ...(random.below(2) > 0 && { volumeClaimTemplates: [{ name: 'data' }] }),
  });
}

function rulesOf(rule: (typeof RULES)[number], labels: Record<string, string>): Partial<PodSpec> {
  const selector = aSelector(labels);
  const spread = (key: string, isRequired: boolean): Partial<PodSpec> => ({
    topologySpread: [
      {
        ...{ key, maxSkew: 1, selector, matchLabelKeys: [] },
        whenUnsatisfiable: isRequired ? 'DoNotSchedule' : 'ScheduleAnyway',
        ...{ nodeAffinityPolicy: 'Honor', nodeTaintsPolicy: 'Ignore' },
      },
    ],
  });
  const term = (key: string) => [{ key, selector, matchLabelKeys: [], namespaces: [] }];
  switch (rule) {
    case 'none':
      return {};
    case 'zone':
      return spread(ZONE_LABEL, true);
    case 'zone-preferred':
      return spread(ZONE_LABEL, false);
    case 'host':
      return spread(HOSTNAME_LABEL, false);
    case 'apart':
      return { podAntiAffinity: term(HOSTNAME_LABEL) };
    case 'together':
      return { podAffinity: term(ZONE_LABEL) };
  }
}
