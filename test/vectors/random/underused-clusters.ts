import { type Choices, createChoices } from './choices.ts';
import { createDaemonSets } from './clusters.ts';
import { type CatalogType, type CreatedNode, createNode, INSTANCE, NODE_CLASS } from './nodes.ts';
import type { RandomCaseOptions } from './random-case.ts';
import { ARCH, CAPACITY_TYPE, createResources, HOSTNAME, type Written, ZONE, ZONES } from './workloads.ts';

/**
 * Random running clusters with more nodes than they need, as cases without an answer: which nodes
 * would be removed or replaced?
 */

/** Pods that a node of the cases runs at most. */
const MAX_PODS = 24;

/** Creates a cluster of 3 to 25 nodes in up to three NodePools, as a case without an answer. */
export function createUnderusedCluster(options: RandomCaseOptions): Written {
  const { seed, index, catalog, types } = options;
  const name = `underused-${seed}-${`${index}`.padStart(3, '0')}`;
  const choices = createChoices(seed, name);
  const pools = createPoolNames(choices);
  const daemonSets = choices.chance(0.3) ? createDaemonSets(choices) : [];
  const apps = Array.from({ length: choices.int(2, 9) }, (_, app) => createApp(choices, app));
  const nodes = Array.from({ length: choices.int(3, 25) }, (_, node) =>
    createRandomNode(choices, `node-${`${node}`.padStart(2, '0')}`, choices.pick(pools), types),
  );
  const boundPods = nodes.flatMap((node) => fillNode(choices, node, apps));
  return {
    name,
    topic: 'consolidate-random',
    why: `Random cluster with unused room (seed ${seed}, case ${index}).`,
    options: { spotToSpotConsolidation: choices.chance(0.5) },
    catalog,
    nodePools: pools.map((pool) => createPool(choices, pool)),
    ...(daemonSets.length > 0 && { daemonSets }),
    podDisruptionBudgets: apps.flatMap((app) => createBudget(choices, app, boundPods)),
    nodes: nodes.map(({ node }) => node),
    nodeClaims: nodes.map(({ nodeClaim }) => nodeClaim),
    boundPods,
  };
}

const createPoolNames = (choices: Choices): readonly string[] =>
  choices.chance(0.6) ? ['general'] : ['general', 'steady', ...(choices.chance(0.5) ? ['batch'] : [])];

function createPool(choices: Choices, name: string): Written {
  const isSteady = name === 'steady';
  const requirements = [
    { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
    { key: ARCH, operator: 'In', values: ['amd64', 'arm64'] },
    {
      key: CAPACITY_TYPE,
      operator: 'In',
      values: isSteady ? ['on-demand'] : ['spot', 'on-demand'],
    },
    {
      key: `${INSTANCE}-category`,
      operator: 'In',
      values: ['c', 'm', 'r', ...(isSteady ? [] : ['t'])],
    },
  ];
  return {
    metadata: { name },
    spec: {
      ...(choices.chance(0.2) && { weight: choices.int(1, 50) }),
      disruption: {
        consolidationPolicy: choices.chance(0.85) ? 'WhenEmptyOrUnderutilized' : 'WhenEmpty',
        consolidateAfter: '0s',
        budgets: createBudgets(choices),
      },
      template: { spec: { nodeClassRef: NODE_CLASS, requirements } },
    },
  };
}

const createBudgets = (choices: Choices): Written[] =>
  choices.pick<() => Written[]>([
    () => [{ nodes: '100%' }],
    () => [{ nodes: '100%' }],
    () => [{ nodes: '10%' }],
    () => [{ nodes: `${choices.int(1, 5)}` }],
    () => [{ nodes: '50%' }, { nodes: '0', reasons: ['Underutilized'] }],
    () => [{ nodes: '100%' }, { nodes: '0', schedule: '0 0 * * *', duration: '1h' }],
  ])();

/** A workload whose pods run on the nodes. */
interface App {
  readonly name: string;
  readonly resources: Written;
  readonly rules: Written;
  readonly isAlone: boolean;
}

function createApp(choices: Choices, index: number): App {
  const name = `app-${index}`;
  const labelSelector = { matchLabels: { app: name } };
  const isAlone = choices.chance(0.12);
  const antiAffinity = {
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: HOSTNAME, labelSelector }],
      },
    },
  };
  const spread = (topologyKey: string, maxSkew: number, whenUnsatisfiable: string) => ({
    topologySpreadConstraints: [{ topologyKey, maxSkew, whenUnsatisfiable, labelSelector }],
  });
  const rules = choices.pick<() => Written>([
    () => ({}),
    () => ({}),
    () => ({}),
    () => spread(ZONE, choices.int(2, 4), 'DoNotSchedule'),
    () => spread(ZONE, 1, 'ScheduleAnyway'),
    () => ({ nodeSelector: { [CAPACITY_TYPE]: 'on-demand' } }),
  ])();
  return {
    name,
    resources: createResources(choices),
    rules: isAlone ? antiAffinity : rules,
    isAlone,
  };
}

/** A node of a random type, zone and capacity type that its NodePool allows. */
function createRandomNode(choices: Choices, name: string, pool: string, catalog: readonly CatalogType[]): CreatedNode {
  const types = catalog.filter(({ requirements }) =>
    (requirements[`${INSTANCE}-category`] ?? []).some((category) => 'cmr'.includes(category)),
  );
  return createNode({
    name,
    pool,
    type: choices.pick(types),
    zone: choices.pick(ZONES),
    capacityType: pool === 'steady' ? 'on-demand' : choices.pick(['spot', 'on-demand']),
  });
}

/** Runs random pods on a node until a random part of it is used; nothing on some nodes. */
function fillNode(choices: Choices, node: CreatedNode, apps: readonly App[]): Written[] {
  if (choices.chance(0.08)) return [];
  const goal = choices.int(10, 95) / 100;
  const { allocatable } = node;
  let { millicores: freeMillicores, mib: freeMib } = allocatable;
  const pods: Written[] = [];
  const alone = new Set<string>();
  for (let attempt = 0; attempt < MAX_PODS; attempt++) {
    const app = choices.pick(apps);
    const { cpu, memory } = readRequests(app.resources);
    const isOnDemandOnly = 'nodeSelector' in app.rules;
    if (alone.has(app.name) || cpu > freeMillicores || memory > freeMib) continue;
    if (isOnDemandOnly && node.capacityType !== 'on-demand') continue;
    if (freeMillicores - cpu < allocatable.millicores * (1 - goal)) break;
    if (app.isAlone) alone.add(app.name);
    freeMillicores -= cpu;
    freeMib -= memory;
    pods.push(createPod(choices, `${node.name}-${pods.length}`, node.name, app));
  }
  return pods;
}

function readRequests(resources: Written): { cpu: number; memory: number } {
  const { requests } = resources;
  if (typeof requests !== 'object' || requests === null) return { cpu: 0, memory: 0 };
  const amounts = new Map<string, unknown>(Object.entries(requests));
  return {
    cpu: Number.parseInt(`${amounts.get('cpu')}`, 10),
    memory: Number.parseInt(`${amounts.get('memory')}`, 10),
  };
}

function createPod(choices: Choices, name: string, nodeName: string, app: App): Written {
  const isProtected = choices.chance(0.02);
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: app.name,
    uid: app.name,
    controller: true,
  };
  return {
    metadata: {
      name,
      labels: { app: app.name },
      ...(isProtected && { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
      ownerReferences: [owner],
    },
    spec: { nodeName, ...app.rules, containers: [{ name: 'main', resources: app.resources }] },
  };
}

function createBudget(choices: Choices, app: App, boundPods: readonly Written[]): Written[] {
  if (!choices.chance(0.2)) return [];
  const running = boundPods.filter(({ metadata }) => readApp(metadata) === app.name).length;
  const disruptionsAllowed = choices.chance(0.4) ? 0 : Math.min(running, choices.int(1, 3));
  return [
    {
      metadata: { name: `budget-${app.name}` },
      spec: {
        minAvailable: running - disruptionsAllowed,
        selector: { matchLabels: { app: app.name } },
      },
      status: {
        currentHealthy: running,
        desiredHealthy: running - disruptionsAllowed,
        disruptionsAllowed,
        expectedPods: running,
      },
    },
  ];
}

function readApp(metadata: unknown): unknown {
  if (typeof metadata !== 'object' || metadata === null || !('labels' in metadata)) return undefined;
  const { labels } = metadata;
  return typeof labels === 'object' && labels !== null && 'app' in labels ? labels.app : undefined;
}
