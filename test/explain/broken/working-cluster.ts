import { type Choices, createChoices } from '../../vectors/random/choices.ts';
import { type BrokenCluster, DEPLOYMENT, NOW, POOL } from './broken-cluster.ts';
import type { JsonObject } from './json.ts';

export const ARCH = 'kubernetes.io/arch';
export const ZONE = 'topology.kubernetes.io/zone';
export const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
export const INSTANCE = 'karpenter.k8s.aws/instance';
export const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'] as const;
const CLASS_REF = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };

const isIn = (key: string, ...values: readonly string[]): JsonObject => ({ key, operator: 'In', values });

/** How NodePools of users choose their types, on amd64 and on arm64. */
const CHOICES_OF_TYPES: Readonly<Record<string, readonly JsonObject[]>> = {
  amd64: [
    isIn(`${INSTANCE}-family`, 'm5', 'm6a', 'c5', 'c6a'),
    isIn(`${INSTANCE}-family`, 'm7i', 'm6a', 'r5'),
    isIn(`${INSTANCE}-category`, 'c', 'm', 'r'),
    { key: `${INSTANCE}-category`, operator: 'NotIn', values: ['t', 'p', 'g', 'inf'] },
    { key: `${INSTANCE}-generation`, operator: 'Gt', values: ['4'] },
  ],
  arm64: [
    isIn(`${INSTANCE}-family`, 'm6g', 'c7g'),
    isIn(`${INSTANCE}-category`, 'm', 'r', 'c'),
    isIn(`${INSTANCE}-family`, 'm6g', 'r6g', 'c7g'),
  ],
};

/** Creates a NodePool and a Deployment that runs on it. Equal seeds and names give equal clusters. */
export function createWorkingCluster(seed: number, name: string): BrokenCluster {
  const choices = createChoices(seed, `${name} cluster`);
  const arch = choices.chance(0.8) ? 'amd64' : 'arm64';
  const other: JsonObject = {
    metadata: { name: 'batch' },
    spec: {
      template: {
        spec: {
          nodeClassRef: CLASS_REF,
          taints: [{ key: 'workload', value: 'batch', effect: 'NoSchedule' }],
          requirements: [isIn(ARCH, 'amd64'), isIn(`${INSTANCE}-category`, 'c', 'm', 'r')],
        },
      },
    },
  };
  return {
    replicas: choices.int(1, 4),
    template: createTemplate(choices),
    pool: createPool(choices, arch),
    otherPools: choices.chance(0.4) ? [other] : [],
    boundPods: [],
    nodes: [],
    daemonSets: [],
    storage: { storageClasses: [], persistentVolumes: [], persistentVolumeClaims: [] },
    nodeClass: { zones: ZONES },
    unavailable: [],
    takenAt: NOW,
  };
}

function createPool(choices: Choices, arch: 'amd64' | 'arm64'): JsonObject {
  const names = arch === 'arm64' || choices.chance(0.7);
  const types = choices.pick(CHOICES_OF_TYPES[arch] ?? []);
  const isByFamily = types.key === `${INSTANCE}-family`;
  const requirements = [
    ...(names || !isByFamily ? [isIn(ARCH, arch)] : []),
    types,
    ...(choices.chance(0.5) ? [isIn('kubernetes.io/os', 'linux')] : []),
    ...(choices.chance(0.7) ? [isIn(CAPACITY_TYPE, ...choices.pick([['on-demand'], ['spot', 'on-demand']]))] : []),
    ...(choices.chance(0.4) ? [isIn(ZONE, ...choices.pick([ZONES, ZONES.slice(0, 2)]))] : []),
    ...(choices.chance(0.5)
      ? [
          choices.pick([
            { key: `${INSTANCE}-cpu`, operator: 'Lt', values: ['17'] },
            { key: `${INSTANCE}-size`, operator: 'NotIn', values: ['metal', '24xlarge'] },
            { key: `${INSTANCE}-memory`, operator: 'Lt', values: ['131073'] },
          ]),
        ]
      : []),
  ];
  return {
    metadata: { name: POOL },
    spec: {
      ...(choices.chance(0.5) && { limits: { cpu: '200', memory: '800Gi' } }),
      weight: 10,
      template: {
        metadata: { labels: { team: 'shop', tier: 'frontend' } },
        spec: { nodeClassRef: CLASS_REF, requirements },
      },
    },
  };
}

function createTemplate(choices: Choices): JsonObject {
  const cpu = choices.pick(['250m', '500m', '1', '1500m', '2', '3']);
  const memory = choices.pick(['512Mi', '1Gi', '2Gi', '4Gi', '6Gi']);
  const labelSelector = { matchLabels: { app: DEPLOYMENT } };
  return {
    metadata: { labels: { app: DEPLOYMENT } },
    spec: {
      containers: [{ name: 'web', resources: { requests: { cpu, memory } } }],
      ...(choices.chance(0.4) && { nodeSelector: choices.pick([{ team: 'shop' }, { [ZONE]: ZONES[0] }]) }),
      ...(choices.chance(0.3) && {
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: ZONE, whenUnsatisfiable: 'ScheduleAnyway', labelSelector },
        ],
      }),
      ...(choices.chance(0.3) && { tolerations: [{ key: 'spot', operator: 'Exists' }] }),
    },
  };
}
