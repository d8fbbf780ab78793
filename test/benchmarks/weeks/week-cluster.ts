import type { ClusterManifests } from '../../../shared/api/manifests/cluster-manifests.ts';
import { CAPACITY_TYPE_LABEL, HOSTNAME_LABEL, OS_LABEL, ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import type { PodSpec, TopologySpreadConstraint } from '../../../shared/model/pods/pod.ts';
import type { Deployment, PodDisruptionBudget, StatefulSet } from '../../../shared/model/pods/workload.ts';
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

/** Which rules the pods of a week have: none, or rules of topology. */
export const WEEK_MIXES = ['generic', 'spread'] as const;
export type WeekMix = (typeof WEEK_MIXES)[number];

export interface WeekSettings {
  readonly seed: number;
  readonly mix: WeekMix;
  /** Approximate number of nodes at the busiest hour. */
  readonly peakNodes: number;
}

/** CPUs that the pods of one node request at the peak: nodes have up to 16. */
const PEAK_CPUS_PER_NODE = 11;
/** One Deployment for this many nodes. */
const NODES_PER_DEPLOYMENT = 1.5;

const CPUS = [0.1, 0.25, 0.25, 0.5, 0.5, 1, 1, 2, 4] as const;
const GIB_PER_CPU = [1, 2, 4, 4, 8] as const;

/** A Deployment with the number of replicas that it has at the busiest hour. */
export interface WaveDeployment {
  readonly deployment: Deployment;
  readonly peakReplicas: number;
}

export interface WeekCluster {
  readonly manifests: ClusterManifests;
  readonly waves: readonly WaveDeployment[];
}

/** A shop: Deployments of mixed sizes that follow the day, half of them on spot, and a database. */
export function createWeekCluster({ seed, mix, peakNodes }: WeekSettings): WeekCluster {
  const random = createBenchmarkRandom(seed);
  const count = Math.max(4, Math.round(peakNodes / NODES_PER_DEPLOYMENT));
  const cpusEach = (peakNodes * PEAK_CPUS_PER_NODE) / count;
  const waves = Array.from({ length: count }, (_, index) => createWave(index, cpusEach, mix, random));
  const database = createDatabase(mix);
  const deployments = waves.map(({ deployment }) => deployment);
  return {
    waves,
    manifests: {
      pools: [GENERAL, SPOT],
      nodeClasses: [aNodeClass()],
      workloads: [...deployments, database, aDaemonSet({ name: 'agent' })],
      pods: [],
      podDisruptionBudgets: [...deployments.map(toBudget), toBudget(database)],
      skipped: [],
    },
  };
}

const pool = (name: string, over: Partial<NodePool>): NodePool =>
  aNodePool({
    name,
    ...over,
    requirements: [
      { key: OS_LABEL, operator: 'In', values: ['linux'] },
      { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
      { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['c', 'm', 'r'] },
      { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['5'] },
      { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Lt', values: ['17'] },
      ...(over.requirements ?? []),
    ],
    disruption: {
      consolidateAfterMs: 2 * MINUTE_MS,
      policy: 'WhenEmptyOrUnderutilized',
      budgets: [{ nodes: '10%' }],
    },
  });

const SPOT_TAINT = { key: 'tier', value: 'elastic', effect: 'NoSchedule' } as const;

const GENERAL = pool('general', {
  requirements: [{ key: CAPACITY_TYPE_LABEL, operator: 'In', values: ['on-demand'] }],
});
const SPOT = pool('elastic', {
  requirements: [{ key: CAPACITY_TYPE_LABEL, operator: 'In', values: ['spot', 'on-demand'] }],
  labels: { tier: 'elastic' },
  taints: [SPOT_TAINT],
});

export const ON_SPOT: Partial<PodSpec> = {
  nodeSelector: { tier: 'elastic' },
  tolerations: [{ key: 'tier', operator: 'Equal', value: 'elastic', effect: 'NoSchedule' }],
};

function createWave(index: number, cpus: number, mix: WeekMix, random: BenchmarkRandom): WaveDeployment {
  const labels = { app: `app-${index}` };
  const cpu = random.oneOf(CPUS);
  const gib = cpu * random.oneOf(GIB_PER_CPU);
  const spec = aPodSpec({
    requests: resources(cpu, gib, { pods: 1 }),
    ...(index % 3 === 2 ? ON_SPOT : {}),
    ...(mix === 'spread' ? listRules(index, labels) : {}),
  });
  const peakReplicas = Math.max(3, Math.round(cpus / cpu));
  const template = aPodTemplate({ labels, spec });
  return {
    peakReplicas,
    deployment: aDeployment({ name: `app-${index}`, replicas: peakReplicas, template }),
  };
}

/** Every second Deployment is spread over zones, every fifth over nodes, as far as possible. */
function listRules(index: number, labels: Record<string, string>): Partial<PodSpec> {
  const spread = (
    key: string,
    whenUnsatisfiable: TopologySpreadConstraint['whenUnsatisfiable'],
  ): TopologySpreadConstraint => ({
    key,
    maxSkew: 1,
    whenUnsatisfiable,
    selector: aSelector(labels),
    matchLabelKeys: [],
    nodeAffinityPolicy: 'Honor',
    nodeTaintsPolicy: 'Ignore',
  });
  return {
    topologySpread: [
      ...(index % 2 === 0 ? [spread(ZONE_LABEL, 'DoNotSchedule')] : []),
      ...(index % 5 === 0 ? [spread(HOSTNAME_LABEL, 'ScheduleAnyway')] : []),
    ],
  };
}

/** Five brokers; with rules they never share a node. */
function createDatabase(mix: WeekMix): StatefulSet {
  const labels = { app: 'db' };
  const apart = {
    key: HOSTNAME_LABEL,
    selector: aSelector(labels),
    matchLabelKeys: [],
    namespaces: [],
  };
  const spec = aPodSpec({
    requests: resources(2, 8, { pods: 1 }),
    podAntiAffinity: mix === 'spread' ? [apart] : [],
  });
  return aStatefulSet({ name: 'db', replicas: 5, template: aPodTemplate({ labels, spec }) });
}

const toBudget = ({ name, kind }: Deployment | StatefulSet): PodDisruptionBudget =>
  aPodDisruptionBudget({
    name,
    selector: aSelector({ app: name }),
    maxUnavailable: kind === 'StatefulSet' ? '1' : '10%',
  });
