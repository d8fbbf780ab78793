import type { Choices } from './choices.ts';
import { type CatalogType, createNode, INSTANCE, NODE_CLASS } from './nodes.ts';
import { ARCH, CAPACITY_TYPE, createResources, type Written, ZONES } from './workloads.ts';

const isIn = (key: string, values: readonly string[]) => ({ key, operator: 'In', values });

/** Creates a general pool, and up to three pools for some of the pods. */
export function createPools(choices: Choices, hasLimits: boolean): Written[] {
  const limits = () =>
    hasLimits && choices.chance(0.8)
      ? { limits: { cpu: `${choices.int(20, 200)}`, memory: `${choices.int(60, 800)}Gi` } }
      : {};
  const createPool = (
    name: string,
    [categories, architectures, capacityTypes]: readonly (readonly string[])[],
    { requirements = [], template = {}, labels, ...spec }: PoolExtras = {},
  ): Written => ({
    metadata: { name },
    spec: {
      ...limits(),
      ...spec,
      template: {
        ...(labels && { metadata: { labels } }),
        spec: {
          nodeClassRef: NODE_CLASS,
          requirements: [
            isIn('kubernetes.io/os', ['linux']),
            isIn(ARCH, architectures ?? []),
            isIn(CAPACITY_TYPE, capacityTypes ?? []),
            isIn(`${INSTANCE}-category`, categories ?? []),
            ...requirements,
          ],
          ...template,
        },
      },
    },
  });
  const architectures = choices.chance(0.6) ? ['amd64', 'arm64'] : ['amd64'];
  const capacityTypes = choices.chance(0.6) ? ['spot', 'on-demand'] : ['on-demand'];
  const families = { key: `${INSTANCE}-family`, operator: 'Exists', minValues: 3 };
  const pools = [
    createPool('general', [['c', 'm', 'r', 't'], architectures, capacityTypes], {
      requirements: choices.chance(0.08) ? [families] : [],
    }),
  ];
  if (choices.chance(0.15)) pools.push(createPool('arm-spot', [['c', 'm', 'r'], ['arm64'], ['spot']], { weight: 30 }));
  if (choices.chance(0.2)) {
    const requirements = [{ key: `${INSTANCE}-generation`, operator: 'Gt', values: ['4'] }];
    pools.push(
      createPool('steady', [['m', 'r'], architectures, ['on-demand']], {
        requirements,
        labels: { tier: 'steady' },
      }),
    );
  }
  if (choices.chance(0.15)) {
    const taints = [{ key: 'dedicated', value: 'batch', effect: 'NoSchedule' }];
    pools.push(
      createPool('dedicated', [['c', 'm', 'r'], ['amd64'], ['spot', 'on-demand']], {
        template: { taints },
        labels: { tier: 'batch' },
      }),
    );
  }
  return pools;
}

interface PoolExtras {
  readonly requirements?: readonly Written[];
  readonly template?: Written;
  readonly labels?: Readonly<Record<string, string>>;
  readonly weight?: number;
}

export function createDaemonSets(choices: Choices): Written[] {
  const createDaemonSet = (name: string, cpu: string, memory: string, spec: Written): Written => ({
    metadata: { name, namespace: 'kube-system' },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          ...spec,
          containers: [{ name: 'main', resources: { requests: { cpu, memory } } }],
        },
      },
    },
  });
  const everywhere = { tolerations: [{ operator: 'Exists' }] };
  return [
    createDaemonSet('node-agent', '100m', '128Mi', everywhere),
    ...(choices.chance(0.5) ? [createDaemonSet('logs', '150m', '300Mi', {})] : []),
    ...(choices.chance(0.4)
      ? [createDaemonSet('arm-tuner', '80m', '64Mi', { nodeSelector: { [ARCH]: 'arm64' } })]
      : []),
  ];
}

/** Offerings that EC2 cannot deliver now. */
export function createShortages(choices: Choices, catalog: readonly CatalogType[]): Written[] {
  const types = Array.from({ length: choices.int(3, 12) }, () => ({
    instanceType: choices.pick(catalog).name,
    ...(choices.chance(0.7) && { capacityType: 'spot' }),
  }));
  const zone = { zone: choices.pick(ZONES), capacityType: 'spot' };
  return [...types, ...(choices.chance(0.5) ? [zone] : [])];
}

const NODE_TYPES = ['m5.large', 'm5.xlarge', 'c5.xlarge', 'r5.large', 'm6a.2xlarge', 'c6a.4xlarge'];

/** Running nodes of the general pool with some pods on each. */
export function createRunningNodes(
  choices: Choices,
  catalog: readonly CatalogType[],
  apps: number,
): { nodes: Written[]; nodeClaims: Written[]; boundPods: Written[] } {
  const types = catalog.filter(({ name }) => NODE_TYPES.includes(name));
  const created = Array.from({ length: choices.int(1, 7) }, (_, index) =>
    createRunningNode(choices, choices.pick(types), `node-${`${index}`.padStart(2, '0')}`, apps),
  );
  return {
    nodes: created.map(({ node }) => node),
    nodeClaims: created.map(({ nodeClaim }) => nodeClaim),
    boundPods: created.flatMap(({ pods }) => pods),
  };
}

function createRunningNode(choices: Choices, type: CatalogType, name: string, apps: number) {
  const zone = choices.pick(ZONES);
  const capacityType = choices.pick(['spot', 'on-demand']);
  const created = createNode({ name, type, zone, capacityType, pool: 'general' });
  const pods = Array.from({ length: choices.int(0, 3) }, (_, index) => ({
    metadata: {
      name: `${name}-old-${index}`,
      labels: { app: `web-${choices.int(0, apps)}` },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'old', uid: 'old', controller: true }],
    },
    spec: {
      nodeName: name,
      containers: [{ name: 'main', resources: createBoundResources(choices) }],
    },
  }));
  return { pods, node: created.node, nodeClaim: created.nodeClaim };
}

function createBoundResources(choices: Choices): Written {
  const requests = { cpu: `${choices.int(1, 9) * 50}m`, memory: `${choices.int(1, 10) * 64}Mi` };
  return choices.chance(0.9) ? { requests } : createResources(choices);
}
