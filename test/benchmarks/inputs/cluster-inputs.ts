import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { getOrCreate } from '../../../shared/model/memo.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import type { Pod, PodTemplate } from '../../../shared/model/pods/pod.ts';
import type { Taint, Toleration } from '../../../shared/model/requirements/taints.ts';
import { HOUR_MS } from '../../../shared/model/time.ts';
import { aPod, aPodSpec, aPodTemplate, NOON } from '../../support/builders.ts';
import { ALL_EC2_OFFERINGS, ALL_EC2_TYPES, aTypicalPool, createEc2Snapshot } from './ec2-snapshot.ts';
import { type BenchmarkNode, createRunningNode, createRunningPod } from './running-cluster.ts';
import { type BenchmarkRandom, createBenchmarkRandom } from './seeded-random.ts';
import { aFieldTemplate } from './workloads.ts';

const SEED = 7;

/** Waiting pods of Deployments of equal size. */
function createWaitingPods(count: number, each: number, templateOf: (deployment: number) => PodTemplate): Pod[] {
  const templates = Array.from({ length: Math.ceil(count / each) }, (_, index) => templateOf(index));
  return Array.from({ length: count }, (_, index) => {
    const deployment = Math.floor(index / each);
    const template = templates[deployment];
    const owner = { kind: 'ReplicaSet', name: `app-${deployment}`, uid: `rs-${deployment}` };
    return aPod({ ...template, owner, name: `app-${deployment}-${index % each}` });
  });
}

/** All pods of a cluster wait at once, as after a restart. */
export function createManyWaitingPods(count: number): ClusterSnapshot {
  const random = createBenchmarkRandom(SEED);
  return createEc2Snapshot({
    pods: createWaitingPods(count, 110, (index) => aFieldTemplate(random, index)),
  });
}

/** A third of the offerings is unavailable. */
export function createScarceCapacity(count: number): ClusterSnapshot {
  const random = createBenchmarkRandom(SEED);
  const templateOf = (index: number) => aFieldTemplate(random, index);
  return createEc2Snapshot({
    pools: [aTypicalPool({ requirements: [] })],
    pods: createWaitingPods(count, 40, templateOf),
    unavailable: ALL_EC2_OFFERINGS.filter(() => random.below(3) === 0).map(({ instanceType, zone, capacityType }) => ({
      instanceType,
      zone,
      capacityType,
      until: NOON + HOUR_MS,
    })),
  });
}

/** Every second NodePool belongs to a team and has a taint. */
function createTeamPool(index: number): NodePool {
  const name = `pool-${index}`;
  return aTypicalPool({
    name,
    weight: index % 4,
    labels: { team: name },
    taints: index % 2 === 0 ? [] : [teamTaint(name)],
  });
}

const teamTaint = (name: string): Taint => ({ key: 'team', value: name, effect: 'NoSchedule' });

const tolerationOf = ({ key, value = '', effect }: Taint): Toleration => ({
  key,
  operator: 'Equal',
  value,
  effect,
});

/** Typical instance types of running nodes. */
const FLEET = ['m7i.2xlarge', 'm7i.4xlarge', 'c7i.4xlarge', 'r7i.2xlarge', 'm6i.8xlarge'] as const;

/** Many NodePools, many half-full nodes, and pods of which half require a NodePool. */
export function createManyPools(nodeCount: number, poolCount: number, podCount: number): ClusterSnapshot {
  const random = createBenchmarkRandom(SEED);
  const pools = Array.from({ length: poolCount }, (_, index) => createTeamPool(index));
  const templateOf = (index: number): PodTemplate => {
    const pool = pools[index % pools.length];
    if (index % 2 === 0 || !pool) return aFieldTemplate(random, index);
    return aFieldTemplate(random, index, {
      nodeSelector: { team: pool.name },
      tolerations: pool.taints.map(tolerationOf),
    });
  };
  const nodes = createFleet(nodeCount, pools);
  return createEc2Snapshot({
    pools,
    ...toCluster(nodes),
    pods: [...createPodsOnNodes(nodes, 12, random), ...createWaitingPods(podCount, 35, templateOf)],
  });
}

/** One large cluster that is nearly full. */
export function createLargeCluster(nodeCount: number, podsPerNode: number, podCount: number): ClusterSnapshot {
  const random = createBenchmarkRandom(SEED);
  const pools = [aTypicalPool()];
  const nodes = createFleet(nodeCount, pools);
  return createEc2Snapshot({
    pools,
    ...toCluster(nodes),
    pods: [
      ...createPodsOnNodes(nodes, podsPerNode, random),
      ...createWaitingPods(podCount, 50, (index) => aFieldTemplate(random, index)),
    ],
  });
}

function createFleet(count: number, pools: readonly NodePool[]): BenchmarkNode[] {
  const types = FLEET.flatMap((name) => ALL_EC2_TYPES.find((type) => type.name === name) ?? []);
  return Array.from({ length: count }, (_, index) => {
    const pool = pools[index % pools.length];
    const type = types[Math.floor(index / pools.length) % types.length];
    if (!pool || !type) throw new Error('a fleet needs pools and types that EC2 sells');
    return createRunningNode(pool, type, index);
  });
}

const toCluster = (fleet: readonly BenchmarkNode[]): Pick<ClusterSnapshot, 'nodes' | 'claims'> => ({
  nodes: fleet.map(({ node }) => node),
  claims: fleet.map(({ claim }) => claim),
});

/** Number of Deployments whose pods already run. */
const RUNNING_DEPLOYMENTS = 500;
/** Share of a node's CPUs that its pods request. */
const USED = { least: 0.75, range: 0.2 } as const;

/** The pods of one node have equal requests and leave 5 to 25 % of it free. */
function createPodsOnNodes(fleet: readonly BenchmarkNode[], each: number, random: BenchmarkRandom): Pod[] {
  const share = new Map<string, PodTemplate>();
  return fleet.flatMap(({ node }, index) => {
    const used = USED.least + (USED.range * random.below(5)) / 4;
    const part = (amount = 0): number => Math.floor((amount * used) / each);
    return Array.from({ length: each }, (_, ordinal) => {
      const deployment = (index * each + ordinal) % RUNNING_DEPLOYMENTS;
      const cpu = part(node.allocatable.cpu);
      const memory = part(node.allocatable.memory);
      const id = `${deployment} ${cpu} ${memory}`;
      const template = getOrCreate(share, id, () =>
        aPodTemplate({
          labels: { app: `runs-${deployment}` },
          spec: aPodSpec({ requests: { cpu, memory, pods: 1 } }),
        }),
      );
      return createRunningPod(template, node.name, `runs-${deployment}-${index}-${ordinal}`);
    });
  });
}
