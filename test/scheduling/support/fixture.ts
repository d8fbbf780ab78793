import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { ARCH_LABEL, type Labels, OS_LABEL } from '../../../shared/model/labels.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import type { InstanceType, Offering } from '../../../shared/model/offerings/instance-type.ts';
import type { Pod, PodAffinityTerm, PodSpec, TopologySpreadConstraint } from '../../../shared/model/pods/pod.ts';
import type { Operator, RequirementSpec } from '../../../shared/model/requirements/requirement-specs.ts';
import { GIB, MIB, type Resources } from '../../../shared/model/resources.ts';
import { aNodePool, aPod, aPodSpec, aSelector, aSnapshot } from '../../support/builders.ts';

export const [Z1, Z2, Z3] = ['test-zone-1', 'test-zone-2', 'test-zone-3'] as const;
export const ZONE = 'topology.kubernetes.io/zone';
export const HOSTNAME = 'kubernetes.io/hostname';
export const CAPACITY = 'karpenter.sh/capacity-type';
export const TYPE = 'node.kubernetes.io/instance-type';
export const ARCH = ARCH_LABEL;
export const OS = OS_LABEL;
/** `large` for types with more than 4 CPUs and more than 8 GiB, otherwise `small`. */
export const SIZE = 'karpenter.k8s.aws/instance-size';
/** Only large types have this label. */
export const SPECIAL = 'karpenter.k8s.aws/instance-gpu-name';
/** The number of CPUs. */
export const INTEGER = 'karpenter.k8s.aws/instance-cpu';

const LINUX_TO_DARWIN = ['darwin', 'linux', 'windows'];

interface Made {
  readonly cpus: number;
  readonly gib: number;
  readonly pods?: number;
  readonly extra?: Resources;
  readonly labels?: Labels;
  readonly systems?: readonly string[];
}

/**
 * An instance type of which 100m CPU and 10Mi memory are not allocatable. It allows every operating
 * system.
 */
export function fakeType(name: string, made: Made): InstanceType {
  const { cpus, gib, pods = 5, extra = {}, labels = {}, systems = LINUX_TO_DARWIN } = made;
  const large = cpus > 4 && gib > 8;
  const capacity = { cpu: cpus * 1000, memory: gib * GIB, pods, ...extra };
  return {
    name,
    labels: {
      [TYPE]: name,
      [ARCH]: 'amd64',
      [SIZE]: large ? 'large' : 'small',
      ...(large ? { [SPECIAL]: 'optional' } : {}),
      [INTEGER]: `${cpus}`,
      ...labels,
    },
    choices: { [OS]: systems },
    capacity,
    allocatable: {
      ...capacity,
      cpu: capacity.cpu - 100,
      memory: capacity.memory - 10 * MIB,
    },
  };
}

/** Linear in size: $0.1 per CPU and per 10⁹ bytes, and $1 for each kind of GPU. */
const computePrice = ({ capacity }: InstanceType): number =>
  ((capacity.cpu ?? 0) / 1000) * 0.1 +
  ((capacity.memory ?? 0) / 1e9) * 0.1 +
  Object.keys(capacity).filter((name) => name.startsWith('vendor')).length;

/** Spot in two zones and on-demand in three, all at one price. */
export const createOfferings = (
  type: InstanceType,
  hourlyUsd = computePrice(type),
  spotUsd = hourlyUsd,
): Offering[] => [
  ...[Z1, Z2].map((zone) => offering(type, 'spot', zone, spotUsd)),
  ...[Z1, Z2, Z3].map((zone) => offering(type, 'on-demand', zone, hourlyUsd)),
];

export const offering = (
  { name }: InstanceType,
  capacityType: Offering['capacityType'],
  zone: string,
  hourlyUsd: number,
): Offering => ({ instanceType: name, zone, capacityType, hourlyUsd });

export const GPU_A = 'vendor-a/gpu';
export const GPU_B = 'vendor-b/gpu';

export const DEFAULT_TYPES: readonly InstanceType[] = [
  fakeType('default', { cpus: 4, gib: 4 }),
  fakeType('small', { cpus: 2, gib: 2 }),
  fakeType('gpu-a', { cpus: 4, gib: 4, extra: { [GPU_A]: 2 } }),
  fakeType('gpu-b', { cpus: 4, gib: 4, extra: { [GPU_B]: 2 } }),
  fakeType('arm', {
    cpus: 16,
    gib: 128,
    labels: { [ARCH]: 'arm64' },
    systems: ['darwin', 'ios', 'linux', 'windows'],
  }),
  fakeType('single-pod', { cpus: 4, gib: 4, pods: 1 }),
];

/** Creates `n` types, each with one CPU, 2 GiB and 10 pods more than the one before. */
export const createStepTypes = (n: number): InstanceType[] =>
  Array.from({ length: n }, (_, step) =>
    fakeType(`fake-it-${step}`, { cpus: step + 1, gib: 2 * (step + 1), pods: 10 * (step + 1) }),
  );

export interface ClusterOptions extends Partial<ClusterSnapshot> {
  /** The types that every NodePool may launch. */
  readonly types?: readonly InstanceType[];
  /** Types without an entry are priced by size. */
  readonly priced?: readonly Offering[];
}

/** An empty cluster with one NodePool without requirements. */
export function aCluster({ types = DEFAULT_TYPES, priced, ...over }: ClusterOptions = {}): ClusterSnapshot {
  const pools = over.pools ?? [aPool()];
  return aSnapshot({
    ...over,
    pools,
    instanceTypes: over.instanceTypes ?? Object.fromEntries(pools.map(({ name }) => [name, types])),
    offerings: priced ?? types.flatMap((type) => createOfferings(type)),
  });
}

export const aPool = (over: Partial<NodePool> = {}): NodePool => aNodePool({ name: 'default', ...over });

export const need = (key: string, operator: Operator, ...values: string[]): RequirementSpec =>
  values.length > 0 ? { key, operator, values } : { key, operator };

/** A NodePool with these requirements. */
export const aPoolRequiring = (...requirements: RequirementSpec[]): NodePool => aPool({ requirements });

/** A pod without requests, labelled `app: web`. */
export const tiny = (name: string, over: Partial<PodSpec> = {}, labels?: Labels): Pod =>
  aPod({
    name,
    spec: aPodSpec({ requests: { pods: 1 }, ...over }),
    ...(labels ? { labels } : {}),
  });

/** Requests of one pod in CPUs and GiB. */
export const requesting = (cpus: number, gib = 0, extra: Resources = {}): Resources => ({
  ...(cpus > 0 ? { cpu: Math.round(cpus * 1000) } : {}),
  ...(gib > 0 ? { memory: Math.round(gib * GIB) } : {}),
  ...extra,
  pods: 1,
});

/** Creates `count` equal pods: `name-1`, `name-2`, … */
export function createPods(count: number, name: string, over: Partial<PodSpec> = {}, labels?: Labels): Pod[] {
  const first = tiny(name, over, labels);
  return Array.from({ length: count }, (_, index) =>
    aPod({ name: `${name}-${index + 1}`, spec: first.spec, labels: first.labels }),
  );
}

/** Node affinity with one term. */
export const requiringNode = (...term: RequirementSpec[]): Partial<PodSpec> => ({
  requiredNodeTerms: [term],
});

export const prefers = (...terms: readonly (readonly [weight: number, ...RequirementSpec[]])[]): Partial<PodSpec> => ({
  preferredNodeTerms: terms.map(([weight, ...term]) => ({ weight, term })),
});

/** DoNotSchedule with maxSkew 1 over pods labelled `app: web`. */
export const spreadOver = (key: string, over: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
  key,
  maxSkew: 1,
  whenUnsatisfiable: 'DoNotSchedule',
  selector: aSelector(),
  matchLabelKeys: [],
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
  ...over,
});

/** An affinity term for pods labelled `app: <app>`. */
export const affinityTo = (app: string, key: string, over: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
  key,
  selector: aSelector({ app }),
  matchLabelKeys: [],
  namespaces: [],
  ...over,
});

/** The same cluster with other NodePools. */
export const withPools = (cluster: ClusterSnapshot, ...pools: NodePool[]): ClusterSnapshot => {
  const types = Object.values(cluster.instanceTypes)[0] ?? [];
  return {
    ...cluster,
    pools,
    instanceTypes: Object.fromEntries(pools.map(({ name }) => [name, types])),
  };
};

export const ZONE_SPREAD = { topologySpread: [spreadOver(ZONE)] };

/** One pod per small node, so that existing nodes have no room. */
export const FILLING_A_NODE = { requests: requesting(1.1) };

export const aPoolInZones = (...zones: string[]) => aPoolRequiring(need(ZONE, 'In', ...zones));
