import { parse } from 'yaml';
import { dispatch } from '../../shared/controllers/dispatch.ts';
import type { DecideDisruption } from '../../shared/controllers/disruption/decide-disruption.ts';
import { reconcileDisruption } from '../../shared/controllers/disruption/reconcile.ts';
import { toLaunchCaps } from '../../shared/controllers/provisioning/launch-caps.ts';
import { createBundledCatalogue } from '../../shared/ec2/catalogue/bundled-catalogue.ts';
import type { NodePool } from '../../shared/model/nodes/node-pool.ts';
import type { Deployment } from '../../shared/model/pods/workload.ts';
import type { Taint } from '../../shared/model/requirements/taints.ts';
import { type EpochMs, SECOND_MS } from '../../shared/model/time.ts';
import { readDecisionSettings } from '../../shared/settings/decision-settings.ts';
import { createOpenWorld } from '../../shared/simulation/create-world.ts';
import { aDeployment, aNodeClass, aNodePool, aPodSpec, aPodTemplate, NOON, resources } from '../support/builders.ts';

export interface SmallCluster {
  readonly pools: readonly NodePool[];
  readonly deployments: readonly Deployment[];
  /** When it is observed last. It starts without nodes, at noon. */
  readonly until: EpochMs;
}

/** Settings by their variables, and which nodes go: ours by default. */
export interface Rules {
  readonly settings?: Readonly<Record<string, string>>;
  readonly decide?: DecideDisruption;
}

/** The history of the nodes; times are given to ten seconds, such as `12:03:30`. */
export interface Played {
  readonly gone: readonly string[];
  readonly launchedTypes: readonly string[];
  /** The taints that nodes have at the end. */
  readonly taints: readonly Taint[];
  /** The nodes that were requested in the first 30 s. */
  readonly firstNodes: number;
}

const STEP_MS = 10 * SECOND_MS;
const FIRST_MS = 30 * SECOND_MS;

/** Runs the controllers over the cluster, without interruptions or shortages. */
export async function playCluster(
  { pools, deployments, until }: SmallCluster,
  { settings: variables = {}, decide }: Rules = {},
): Promise<Played> {
  const { world, api, instances } = createOpenWorld({
    seed: 1,
    startAt: NOON,
    catalogue: createBundledCatalogue(() => aNodeClass()),
    manifests: {
      pools,
      nodeClasses: [aNodeClass()],
      workloads: deployments,
      pods: [],
      podDisruptionBudgets: [],
      skipped: [],
    },
    options: { interruptionsPerHour: 0, shortageShare: 0 },
  });
  const read = readDecisionSettings(variables, parse);
  if (read.outcome === 'refused') throw new Error(JSON.stringify(read.problems));
  const { MAX_NODES: maxNodes } = variables;
  const ports = {
    ...world.ports,
    settings: read.settings,
    launchCaps: toLaunchCaps(maxNodes === undefined ? {} : { maxNodes: Number(maxNodes) }),
  };
  world.consume((hint) =>
    hint.topic === 'disrupt' && decide ? reconcileDisruption(ports, decide) : dispatch(ports, hint),
  );
  const gone: string[] = [];
  const types = new Map<string, string>();
  let firstNodes = 0;
  let present = new Set<string>();
  for (let at: EpochMs = NOON; at <= until; at += STEP_MS) {
    await world.clock.runUntil(at);
    const before = present;
    present = new Set(api.nodes.list().map(({ name }) => name));
    for (const { providerId, launch } of instances.list()) types.set(providerId, launch.instanceType);
    for (const name of before) if (!present.has(name)) gone.push(new Date(at).toISOString().slice(11, 19));
    if (at <= NOON + FIRST_MS) firstNodes = Math.max(firstNodes, types.size);
  }
  return {
    gone,
    launchedTypes: [...types.values()],
    taints: api.nodes.list().flatMap(({ taints }) => taints),
    firstNodes,
  };
}

/** An on-demand NodePool of these types, without limits to disruption. */
export const aPoolOf = (
  types: readonly string[],
  { consolidateAfterMs = 0, ...over }: Partial<NodePool> & { readonly consolidateAfterMs?: number } = {},
): NodePool =>
  aNodePool({
    requirements: [
      { key: 'node.kubernetes.io/instance-type', operator: 'In', values: types },
      { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
      { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-east-1a'] },
    ],
    disruption: { consolidateAfterMs, policy: 'WhenEmptyOrUnderutilized', budgets: [{ nodes: '100%' }] },
    ...over,
  });

interface Size {
  readonly cpu: number;
  readonly replicas?: number;
  /** Replica counts by time, such as `11:00=1 12:02=0`. */
  readonly schedule?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
}

export const aService = (name: string, { cpu, replicas = 1, schedule, nodeSelector = {} }: Size): Deployment =>
  aDeployment({
    name,
    replicas,
    ...(schedule !== undefined && { annotations: { 'simulation.mortise.sh/replicas': schedule } }),
    template: aPodTemplate({
      labels: { app: name },
      spec: aPodSpec({ requests: resources(cpu, 0.5, { pods: 1 }), nodeSelector }),
    }),
  });

const NODES = ['a', 'b', 'c', 'd', 'e'];

/**
 * Each node of four CPUs gets a large pod, which ends at 12:02, and small ones of a CPU together.
 *
 * @param count - how many nodes
 * @param smallPods - how many small pods each node has; they stay
 */
export const listFalling = (count: number, smallPods: number): readonly Deployment[] =>
  NODES.slice(0, count).flatMap((name) => [
    aService(`large-${name}`, { cpu: 2.6, schedule: '11:00=1 12:02=0' }),
    ...(smallPods === 0 ? [] : [aService(`small-${name}`, { cpu: 1 / smallPods, replicas: smallPods })]),
  ]);
