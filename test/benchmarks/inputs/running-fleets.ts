import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { HOUR_MS } from '../../../shared/model/time.ts';
import { aPodSpec, aPodTemplate, NOON, resources } from '../../support/builders.ts';
import { ALL_EC2_TYPES, aTypicalPool, createEc2Snapshot } from './ec2-snapshot.ts';
import { createRunningNode, createRunningPod } from './running-cluster.ts';
import { createBenchmarkRandom } from './seeded-random.ts';

const SEED = 11;
const FLEET = ['m7i.2xlarge', 'm7i.4xlarge', 'c7i.4xlarge', 'r7i.2xlarge', 'm6i.4xlarge'];
const CPUS = [0.1, 0.2, 0.25, 0.25, 0.5] as const;
const SINCE = NOON - 48 * HOUR_MS;

export interface FleetSize {
  readonly nodes: number;
  readonly pods: number;
  readonly pools: number;
}

/** Nodes of several NodePools whose pods have been scaled down: half of the room is free. */
export function createRunningFleet({ nodes, pods, pools }: FleetSize): ClusterSnapshot {
  const random = createBenchmarkRandom(SEED);
  const nodePools = Array.from({ length: pools }, (_, index) => createPool(index));
  const types = FLEET.flatMap((name) => ALL_EC2_TYPES.find((type) => type.name === name) ?? []);
  const running = Array.from({ length: nodes }, (_, index) => {
    const pool = nodePools[index % pools];
    const type = types[Math.floor(index / pools) % types.length];
    if (!pool || !type) throw new Error('a fleet needs pools and types that EC2 sells');
    const { node, claim } = createRunningNode(pool, type, index);
    const times = { createdAt: SINCE, registeredAt: SINCE, initializedAt: SINCE };
    return { node: { ...node, createdAt: SINCE }, claim: { ...claim, ...times } };
  });
  const templates = Array.from({ length: 200 }, (_, index) => {
    const cpu = random.oneOf(CPUS);
    const spec = aPodSpec({ requests: resources(cpu, cpu * random.oneOf([2, 4]), { pods: 1 }) });
    return aPodTemplate({ labels: { app: `app-${index}` }, spec });
  });
  const each = Math.round(pods / nodes);
  return createEc2Snapshot({
    pools: nodePools,
    nodes: running.map(({ node }) => node),
    claims: running.map(({ claim }) => claim),
    pods: running.flatMap(({ node: { name, allocatable } }, index): Pod[] => {
      let cpu = allocatable.cpu ?? 0;
      let memory = allocatable.memory ?? 0;
      const count = Math.round(each * (0.4 + random.below(13) / 10));
      return Array.from({ length: count }, (_, ordinal) => ordinal).flatMap((ordinal) => {
        const template = templates[random.below(templates.length)];
        const { cpu: needsCpu = 0, memory: needsMemory = 0 } = template?.spec.requests ?? {};
        if (!template || cpu < needsCpu || memory < needsMemory) return [];
        cpu -= needsCpu;
        memory -= needsMemory;
        const pod = createRunningPod(template, name, `pod-${index}-${ordinal}`);
        const owner = { kind: 'ReplicaSet', name: 'app', uid: `rs-${template.labels.app}` };
        return [{ ...pod, owner, createdAt: SINCE, startedAt: SINCE }];
      });
    }),
  });
}

const createPool = (index: number): NodePool =>
  aTypicalPool({
    name: `pool-${index}`,
    disruption: {
      consolidateAfterMs: 0,
      policy: 'WhenEmptyOrUnderutilized',
      budgets: [{ nodes: '10%' }],
    },
  });
