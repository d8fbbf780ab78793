import type { ConsoleSource } from '../../../console/source.ts';
import type { SeriesView } from '../../../console/timeline-views.ts';
import type { Amounts, NodeView, PodView, StateView, TotalsView } from '../../../console/views.ts';
import { NOON, ZONES } from '../../support/builders.ts';

export interface BigCluster {
  readonly source: ConsoleSource;
  /** Moves `count` pods to other nodes, as often as in a busy cluster. */
  stir(count: number): void;
}

const PODS_PER_NODE = 30;
const NAMESPACES = ['shop', 'payments', 'data', 'batch', 'ml', 'platform', 'search', 'edge'];
const CAPACITY_TYPES = ['spot', 'spot', 'on-demand'] as const;
const NOTHING: Amounts = { cpuMilli: 0, memoryMib: 0, gpu: 0, pods: 0 };

/**
 * Creates a source with views only, of any size, without a simulation behind it that takes time.
 */
export function bigCluster(nodeCount: number): BigCluster {
  const nodes = Array.from({ length: nodeCount }, (_, index) => nodeView(index));
  const pods = nodes.flatMap(({ name }, index) =>
    Array.from({ length: PODS_PER_NODE }, (_, podIndex) => podView(name, index, podIndex)),
  );
  const listeners = new Set<() => void>();
  let stirred = 0;

  const source: ConsoleSource = {
    clock: () => ({ now: NOON, speed: 1, paused: true }),
    state: () => Promise.resolve(stateOf(nodes, [...pods])),
    events: () => [],
    decisions: () => [],
    explain: () => Promise.resolve(undefined),
    series: (): SeriesView => ({ points: [], marks: [] }),
    cost: () => Promise.reject(new Error('not called')),
    costHistory: () => ({ names: [], points: [] }),
    pools: () => Promise.reject(new Error('not called')),
    whatIfOptions: () => Promise.reject(new Error('not called')),
    whatIf: () => Promise.reject(new Error('not called')),
    timeline: ({ from, to }) => ({
      ...{ from, to, first: from, now: to },
      ...{
        nodes: [],
        series: { points: [], marks: [] },
        events: [],
        planned: [],
        churn: { evictions: 0 },
      },
    }),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return {
    source,
    stir(count) {
      for (let step = 0; step < count; step += 1) {
        stirred = (stirred + 7_919) % pods.length;
        const pod = pods[stirred];
        if (pod) pods[stirred] = { ...pod, state: pod.state === 'running' ? 'leaving' : 'running' };
      }
      for (const listener of listeners) listener();
    },
  };
}

function nodeView(index: number): NodeView {
  const vcpu = [4, 8, 8, 16][index % 4] ?? 8;
  const allocatable = { cpuMilli: vcpu * 970, memoryMib: vcpu * 3_600, gpu: 0, pods: 110 };
  return {
    name: `general-${index.toString(36).padStart(4, '0')}`,
    node: `ip-10-0-${index}`,
    pool: 'general',
    instanceType: vcpu === 16 ? 'm7g.4xlarge' : vcpu === 8 ? 'm7g.2xlarge' : 'm7g.xlarge',
    zone: ZONES[index % 3] ?? 'us-east-1a',
    capacityType: CAPACITY_TYPES[index % 3] ?? 'spot',
    hourlyUsd: vcpu * 0.0204,
    vcpu,
    allocatable,
    requested: { cpuMilli: vcpu * 850, memoryMib: vcpu * 2_000, gpu: 0, pods: PODS_PER_NODE },
    daemon: NOTHING,
    bornAt: NOON + index,
    state: index % 50 === 7 ? 'starting' : 'ready',
    stateSince: NOON,
    holds: [],
  };
}

function podView(node: string, nodeIndex: number, podIndex: number): PodView {
  const namespace = NAMESPACES[(nodeIndex + (podIndex >> 2)) % NAMESPACES.length] ?? 'shop';
  const name = `web-${nodeIndex}-${podIndex}`;
  const vcpu = [4, 8, 8, 16][nodeIndex % 4] ?? 8;
  return {
    key: `${namespace}/${name}`,
    ...{ namespace, name, node },
    workload: 'web',
    requests: { cpuMilli: (vcpu * 850) / PODS_PER_NODE, memoryMib: 256, gpu: 0, pods: 1 },
    state: 'running',
    since: NOON,
    daemon: false,
  };
}

const stateOf = (nodes: readonly NodeView[], pods: readonly PodView[]): StateView => ({
  info: { instance: 'big', source: 'playground', cluster: 'big', region: 'us-east-1', seed: 1 },
  clock: { now: NOON, speed: 1, paused: true },
  totals: totalsOf(nodes, pods),
  nodes,
  pods,
  pending: [],
  namespaces: NAMESPACES,
});

const totalsOf = (nodes: readonly NodeView[], pods: readonly PodView[]): TotalsView => ({
  nodes: { spot: nodes.length, 'on-demand': 0, reserved: 0 },
  startingNodes: 0,
  runningPods: pods.length,
  pendingPods: 0,
  requested: NOTHING,
  allocatable: NOTHING,
  hourlyUsd: { spot: 100, 'on-demand': 0, reserved: 0 },
  monthlyUsd: 73_000,
  disruptions: { allowed: 0, inProgress: 0, text: '' },
});
