import { CAPACITY_TYPE_LABEL } from '../../../shared/model/labels.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import { DEFAULT_GATES, DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { OpenWorld, WorldOptions } from '../../../shared/simulation/create-world.ts';
import type { SimWorld } from '../../../shared/simulation/world.ts';
import { anOpenWorld, NO_RANDOM_EVENTS } from '../../simulation/support.ts';
import {
  aDeployment,
  aNodePool,
  aPodDisruptionBudget,
  aPodSpec,
  aPodTemplate,
  aSelector,
  resources,
} from '../../support/builders.ts';

/** A steady cluster, and the event that happens to it. */
export interface Scenario {
  readonly title: string;
  create(options?: WorldOptions): OpenWorld;
  prepare(world: SimWorld): Promise<void>;
  /** Crashes happen from here on. */
  happen(world: SimWorld, api: OpenWorld['api']): Promise<void>;
  /** The effects that the scenario must produce. */
  readonly effects: readonly string[];
}

const POOL = aNodePool({
  // On-demand only, because spot nodes are not replaced by spot nodes.
  requirements: [{ key: CAPACITY_TYPE_LABEL, operator: 'In', values: ['on-demand'] }],
  disruption: {
    consolidateAfterMs: 30 * SECOND_MS,
    policy: 'WhenEmptyOrUnderutilized',
    budgets: [{ nodes: '100%' }],
  },
});

/** Two Deployments: `web`, which a PodDisruptionBudget guards, and `api`. */
const aCluster = (web: number, api: number, options: WorldOptions = NO_RANDOM_EVENTS): OpenWorld =>
  anOpenWorld(
    {
      pools: [POOL],
      workloads: [workload('web', web, 1), workload('api', api, 3)],
      podDisruptionBudgets: [
        aPodDisruptionBudget({
          name: 'web',
          selector: aSelector({ app: 'web' }),
          maxUnavailable: '1',
        }),
      ],
    },
    { options },
  );

const withReboots = ({ world, ...others }: OpenWorld): OpenWorld => {
  const gates = { ...DEFAULT_GATES, NodeRepair: true, RebootForRepair: true };
  return { ...others, world: { ...world, ports: { ...world.ports, settings: { ...DEFAULT_SETTINGS, gates } } } };
};

const workload = (name: string, replicas: number, cpu: number) =>
  aDeployment({
    name,
    replicas,
    template: aPodTemplate({
      labels: { app: name },
      spec: aPodSpec({ requests: resources(cpu, 2 * cpu, { pods: 1 }) }),
    }),
  });

const pass = (world: SimWorld, ms: number): Promise<void> => world.clock.runUntil(world.clock.now() + ms);

const waitUntilVisible = (world: SimWorld): Promise<void> => pass(world, 10 * MINUTE_MS);

const scale = (world: SimWorld, name: string, replicas: number): void =>
  world.userActions.scale({ kind: 'Deployment', namespace: 'default', name }, replicas);

async function firstNode({ ports }: SimWorld): Promise<Node> {
  const { nodes } = await ports.cluster.observe();
  const [node] = nodes;
  if (!node) throw new Error('the cluster has no nodes');
  return node;
}

export const SCENARIOS: readonly Scenario[] = [
  {
    title: 'pods get nodes: committed, launched, registered, initialized',
    effects: ['commits.add', 'launches.save', 'cloud.launch', 'cluster.changeNode'],
    create: (options) => aCluster(0, 0, options),
    prepare: waitUntilVisible,
    async happen(world) {
      scale(world, 'web', 6);
      scale(world, 'api', 4);
    },
  },
  {
    title: 'empty nodes are removed',
    effects: ['commands.add', 'commits.add', 'cloud.terminate'],
    create: (options) => aCluster(3, 4, options),
    prepare: waitUntilVisible,
    async happen(world) {
      scale(world, 'api', 0);
    },
  },
  {
    title: 'a deleted node is drained, budget by budget',
    effects: ['cluster.evict', 'cloud.launch', 'cloud.terminate'],
    create: (options) => aCluster(5, 0, options),
    prepare: waitUntilVisible,
    async happen(world) {
      await world.ports.cluster.deleteNode(await firstNode(world));
    },
  },
  {
    title: 'a node is replaced by a smaller one',
    effects: ['commits.add', 'cloud.launch', 'cluster.evict', 'cloud.terminate'],
    create: (options) => aCluster(1, 2, options),
    prepare: waitUntilVisible,
    async happen(world) {
      scale(world, 'api', 0);
    },
  },
  {
    title: 'an unhealthy node is rebooted in place',
    effects: ['commands.add', 'cluster.changeNode', 'cluster.evict', 'cloud.reboot'],
    create: (options) => withReboots(aCluster(4, 1, options)),
    prepare: (world) => pass(world, 15 * MINUTE_MS),
    async happen(world, api) {
      const node = await firstNode(world);
      const since = world.clock.now() - 11 * MINUTE_MS;
      const fault = { condition: 'AcceleratedHardwareReady', status: 'False', reason: 'XID48', since } as const;
      api.nodes.put(node.name, { ...node, troubles: [fault] });
    },
  },
  {
    title: 'EC2 interrupts a node',
    effects: ['unavailableOfferings.mark', 'cloud.launch', 'cluster.evict'],
    create: (options) => aCluster(4, 1, options),
    prepare: waitUntilVisible,
    async happen(world) {
      world.userActions.interrupt((await firstNode(world)).name, 'spot-interruption');
    },
  },
];
