import type { Choices } from './choices.ts';

/** A written Kubernetes object. */
export type Written = Readonly<Record<string, unknown>>;

export const ZONE = 'topology.kubernetes.io/zone';
export const HOSTNAME = 'kubernetes.io/hostname';
export const ARCH = 'kubernetes.io/arch';
export const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
export const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'] as const;

/** Millicores of one pod, small ones more often. */
const CPU = [50, 100, 100, 250, 250, 250, 300, 500, 500, 750, 1000, 1000, 1500, 2000, 3000] as const;
const LARGE_CPU = [4000, 6000, 7500, 12_000, 15_000] as const;
/** MiB for each millicore. */
const MEMORY_RATIOS = [0.5, 1, 1, 1.5, 2, 2, 2, 3, 4, 4, 4, 6, 8] as const;
/** Every container needs a little memory of its own. */
const BASE_MIB = 16;

/** The rules that a random workload may have. */
export interface WorkloadStyle {
  /** Probability of a topology rule. */
  readonly topology: number;
  /** Probability of a node selector, node affinity or host port. */
  readonly placement: number;
  /** Values of the label `tier`: each belongs to a pool. */
  readonly tiers: readonly string[];
}

/** Creates workloads with `pods` pods in total. */
export function createWorkloads(choices: Choices, pods: number, style: WorkloadStyle): Written[] {
  const workloads: Written[] = [];
  for (let remaining = pods; remaining > 0; ) {
    const replicas = Math.min(remaining, createReplicas(choices));
    workloads.push(createWorkload(choices, `web-${workloads.length}`, replicas, style));
    remaining -= replicas;
  }
  return workloads;
}

const createReplicas = (choices: Choices): number => (choices.chance(0.55) ? choices.int(1, 5) : choices.int(6, 40));

function createWorkload(
  choices: Choices,
  app: string,
  replicas: number,
  { topology, placement, tiers }: WorkloadStyle,
): Written {
  const rules = [
    ...(choices.chance(topology) ? [createTopologyRule(choices, app)] : []),
    ...(choices.chance(placement) ? [createPlacementRule(choices, tiers)] : []),
  ];
  const { ports, ...spec }: Written = Object.fromEntries(rules.flatMap(Object.entries<unknown>));
  const container = {
    name: 'main',
    ...(ports !== undefined && { ports }),
    resources: createResources(choices),
  };
  return {
    metadata: { name: app, labels: { app } },
    replicas,
    spec: { ...spec, containers: [container] },
  };
}

/** Requests of one container. */
export function createResources(choices: Choices): Written {
  const cpu = choices.chance(0.1) ? choices.pick(LARGE_CPU) : choices.pick(CPU);
  const memory = BASE_MIB + Math.round(cpu * choices.pick(MEMORY_RATIOS));
  return { requests: { cpu: `${cpu}m`, memory: `${memory}Mi` } };
}

function createTopologyRule(choices: Choices, app: string): Written {
  const labelSelector = { matchLabels: { app } };
  const spread = (topologyKey: string, maxSkew: number, whenUnsatisfiable: string) => ({
    topologyKey,
    maxSkew,
    whenUnsatisfiable,
    labelSelector,
  });
  const term = (topologyKey: string) => ({ topologyKey, labelSelector });
  const preferred = (topologyKey: string) => ({
    weight: choices.int(1, 100),
    podAffinityTerm: term(topologyKey),
  });
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  return choices.pick<() => Written>([
    () => ({ topologySpreadConstraints: [spread(ZONE, choices.int(1, 2), 'DoNotSchedule')] }),
    () => ({ topologySpreadConstraints: [spread(ZONE, 1, 'ScheduleAnyway')] }),
    () => ({ topologySpreadConstraints: [spread(HOSTNAME, choices.int(1, 4), 'DoNotSchedule')] }),
    () => ({
      topologySpreadConstraints: [
        spread(ZONE, 1, 'DoNotSchedule'),
        spread(HOSTNAME, choices.int(2, 4), 'ScheduleAnyway'),
      ],
    }),
    () => ({ affinity: { podAntiAffinity: { [required]: [term(HOSTNAME)] } } }),
    () => ({ affinity: { podAffinity: { [required]: [term(ZONE)] } } }),
    () => ({
      affinity: {
        podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [preferred(HOSTNAME)] },
      },
    }),
  ])();
}

function createPlacementRule(choices: Choices, tiers: readonly string[]): Written {
  const expression = (key: string, values: readonly string[], operator = 'In') => ({
    key,
    operator,
    values,
  });
  const requireTerms = (...terms: readonly object[][]): Written => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: terms.map((matchExpressions) => ({ matchExpressions })),
        },
      },
    },
  });
  const port = 8000 + choices.int(0, 3);
  return choices.pick<() => Written>([
    () => ({ nodeSelector: { [ZONE]: choices.pick(ZONES) } }),
    () => ({ nodeSelector: { [ARCH]: choices.pick(['amd64', 'arm64']) } }),
    () => ({ nodeSelector: { [CAPACITY_TYPE]: 'on-demand' } }),
    () => ({ ports: [{ containerPort: port, hostPort: port }] }),
    () => requireTerms([expression('karpenter.k8s.aws/instance-family', ['t3', 't4g'], 'NotIn')]),
    () =>
      requireTerms(
        [expression(ZONE, ['us-east-1a']), expression(CAPACITY_TYPE, ['on-demand'])],
        [expression(ZONE, ['us-east-1b', 'us-east-1c'])],
      ),
    () => ({
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 10,
              preference: { matchExpressions: [expression(CAPACITY_TYPE, ['on-demand'])] },
            },
          ],
        },
      },
    }),
    ...tiers.map((tier) => () => ({
      nodeSelector: { tier },
      tolerations: [{ key: 'dedicated', operator: 'Exists' }],
    })),
  ])();
}
