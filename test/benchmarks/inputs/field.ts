import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { getOrCreate } from '../../../shared/model/memo.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import type { Pod, PodTemplate } from '../../../shared/model/pods/pod.ts';
import type { Taint, Toleration } from '../../../shared/model/requirements/taints.ts';
import { HOUR_MS } from '../../../shared/model/time.ts';
import { aPod, aPodSpec, aPodTemplate, NOON } from '../../support/builders.ts';
import { aUsualPool, EC2_OFFERINGS, EC2_TYPES, ec2Market } from './ec2-market.ts';
import { type Draws, draws } from './random.ts';
import { type RunningNode, runningNode, runningPod } from './running-cluster.ts';
import { aFieldTemplate } from './workloads.ts';

const SEED = 7;

/** Pods of Deployments of that many each, all waiting. */
function waitingPods(
  count: number,
  each: number,
  templateOf: (deployment: number) => PodTemplate,
): Pod[] {
  const templates = Array.from({ length: Math.ceil(count / each) }, (_, index) =>
    templateOf(index),
  );
  return Array.from({ length: count }, (_, index) => {
    const deployment = Math.floor(index / each);
    const template = templates[deployment];
    const owner = { kind: 'ReplicaSet', name: `app-${deployment}`, uid: `rs-${deployment}` };
    return aPod({ ...template, owner, name: `app-${deployment}-${index % each}` });
  });
}

/** A cluster comes up again: everything waits at once. */
export function manyWaiting(count: number): ClusterSnapshot {
  const random = draws(SEED);
  return ec2Market({ pods: waitingPods(count, 110, (index) => aFieldTemplate(random, index)) });
}

/** A third of all that EC2 sells has run dry, each part on its own. */
export function scarceMarket(count: number): ClusterSnapshot {
  const random = draws(SEED);
  const templateOf = (index: number) => aFieldTemplate(random, index);
  return ec2Market({
    pools: [aUsualPool({ requirements: [] })],
    pods: waitingPods(count, 40, templateOf),
    unavailable: EC2_OFFERINGS.filter(() => random.below(3) === 0).map(
      ({ instanceType, zone, capacityType }) => ({
        instanceType,
        zone,
        capacityType,
        until: NOON + HOUR_MS,
      }),
    ),
  });
}

/** Every second pool belongs to a team and keeps others away. */
function teamPool(index: number): NodePool {
  const name = `pool-${index}`;
  return aUsualPool({
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

/** What running nodes of the field usually are. */
const FLEET = ['m7i.2xlarge', 'm7i.4xlarge', 'c7i.4xlarge', 'r7i.2xlarge', 'm6i.8xlarge'] as const;

/** Many pools, many half-full nodes, and pods of which half belong to one of the pools. */
export function manyPools(nodeCount: number, poolCount: number, podCount: number): ClusterSnapshot {
  const random = draws(SEED);
  const pools = Array.from({ length: poolCount }, (_, index) => teamPool(index));
  const templateOf = (index: number): PodTemplate => {
    const pool = pools[index % pools.length];
    if (index % 2 === 0 || !pool) return aFieldTemplate(random, index);
    return aFieldTemplate(random, index, {
      nodeSelector: { team: pool.name },
      tolerations: pool.taints.map(tolerationOf),
    });
  };
  const nodes = fleet(nodeCount, pools);
  return ec2Market({
    pools,
    ...clusterOf(nodes),
    pods: [...podsOn(nodes, 12, random), ...waitingPods(podCount, 35, templateOf)],
  });
}

/** One large cluster, nearly full. */
export function largeCluster(
  nodeCount: number,
  podsPerNode: number,
  podCount: number,
): ClusterSnapshot {
  const random = draws(SEED);
  const pools = [aUsualPool()];
  const nodes = fleet(nodeCount, pools);
  return ec2Market({
    pools,
    ...clusterOf(nodes),
    pods: [
      ...podsOn(nodes, podsPerNode, random),
      ...waitingPods(podCount, 50, (index) => aFieldTemplate(random, index)),
    ],
  });
}

function fleet(count: number, pools: readonly NodePool[]): RunningNode[] {
  const types = FLEET.flatMap((name) => EC2_TYPES.find((type) => type.name === name) ?? []);
  return Array.from({ length: count }, (_, index) => {
    const pool = pools[index % pools.length];
    const type = types[Math.floor(index / pools.length) % types.length];
    if (!pool || !type) throw new Error('a fleet needs pools and types that EC2 sells');
    return runningNode(pool, type, index);
  });
}

const clusterOf = (fleet: readonly RunningNode[]): Pick<ClusterSnapshot, 'nodes' | 'claims'> => ({
  nodes: fleet.map(({ node }) => node),
  claims: fleet.map(({ claim }) => claim),
});

/** Deployments whose pods already run. */
const RUNNING_DEPLOYMENTS = 500;
/** Of a node's processors, what its pods have asked for. */
const USED = { least: 0.75, range: 0.2 } as const;

/** The pods of one node ask for the same, and leave between 5 and 25 % of it free. */
function podsOn(fleet: readonly RunningNode[], each: number, random: Draws): Pod[] {
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
      return runningPod(template, node.name, `runs-${deployment}-${index}-${ordinal}`);
    });
  });
}
