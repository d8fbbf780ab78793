import { drawFor } from '../../../../shared/model/random.ts';

/** A Kubernetes object with what an API server says about it, by construction. */
export interface KnownObject {
  readonly value: Manifest;
  readonly isValid: boolean;
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string } & Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** Seeded choices of one file. */
export interface Draw {
  share(what: string): number;
  oneOf<T>(what: string, choices: readonly [T, ...T[]]): T;
}

export function createDraw(seed: number): Draw {
  const share = (what: string): number => drawFor(seed, what);
  return {
    share,
    oneOf: (what, choices) => choices[Math.floor(share(what) * choices.length)] ?? choices[0],
  };
}

const nodePool = (name: string, draw: Draw): Manifest => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name },
  spec: {
    weight: 1 + Math.floor(draw.share(`${name} weight`) * 100),
    limits: { cpu: draw.oneOf(`${name} cpu`, ['100', '1k', '2500m']), memory: '1000Gi' },
    disruption: {
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
      consolidateAfter: draw.oneOf(`${name} after`, ['1m', '0s', 'Never', '1h30m']),
      budgets: [{ nodes: draw.oneOf(`${name} nodes`, ['10%', '5', '100%']) }],
    },
    template: {
      metadata: { labels: { team: draw.oneOf(`${name} team`, ['web', 'data', '1.10', 'yes']) } },
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        expireAfter: draw.oneOf(`${name} expire`, ['720h', 'Never']),
        requirements: [
          { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot', 'on-demand'] },
          { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['4'] },
        ],
        taints: [{ key: 'team', value: 'web', effect: 'NoSchedule' }],
      },
    },
  },
});

const nodeClass = (name: string, draw: Draw): Manifest => ({
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name },
  spec: {
    role: 'nodes',
    amiSelectorTerms: [{ alias: draw.oneOf(`${name} alias`, ['al2023@latest', 'bottlerocket@latest']) }],
    subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'shop' } }],
    securityGroupSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'shop' } }],
    blockDeviceMappings: [
      {
        deviceName: '/dev/xvda',
        ebs: { volumeSize: draw.oneOf(`${name} size`, ['100Gi', '1Ti', '20G']), volumeType: 'gp3' },
      },
    ],
    tags: { owner: draw.oneOf(`${name} tag`, ['a: b', '# no comment', 'it is "quoted"', '007']) },
  },
});

/** One change each that an API server with the CRDs refuses. */
const FAULTS: Readonly<Record<string, readonly [(spec: Spec) => Spec, ...((spec: Spec) => Spec)[]]>> = {
  NodePool: [
    (spec) => ({ ...spec, weight: 101 }),
    (spec) => ({ ...spec, wieght: 10 }),
    (spec) => ({ ...spec, limits: { cpu: '100 cores' } }),
    (spec) => ({ ...spec, disruption: { consolidateAfter: '1w' } }),
    (spec) => ({ ...spec, disruption: { consolidateAfter: '1m', budgets: [{ nodes: '110%' }] } }),
    (spec) => ({ ...spec, template: { spec: { requirements: [] } } }),
  ],
  EC2NodeClass: [
    ({ amiSelectorTerms: _, ...spec }) => spec,
    (spec) => ({ ...spec, subnetSelectorTerms: [] }),
    (spec) => ({ ...spec, amiFamily: 'Ubuntu' }),
    (spec) => ({ ...spec, role: '' }),
    (spec) => ({ ...spec, amiSelectorTerms: [{ alias: 'al2023' }] }),
  ],
};

type Spec = Readonly<Record<string, unknown>>;

/**
 * Makes a NodePool or an EC2NodeClass that an API server takes, or the same with one fault.
 *
 * @param kind - undefined for either
 */
export function makeObject(
  name: string,
  draw: Draw,
  isValid: boolean,
  kind = draw.oneOf(`${name} kind`, ['NodePool', 'EC2NodeClass']),
): KnownObject {
  const value = kind === 'NodePool' ? nodePool(name, draw) : nodeClass(name, draw);
  if (isValid) return { value, isValid };
  const damage = draw.oneOf(`${name} fault`, FAULTS[kind] ?? [(spec) => spec]);
  return { value: { ...value, spec: damage(value.spec as Spec) }, isValid };
}

/** Objects of kinds that other controllers serve. */
export const foreignObject = (name: string): Manifest => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop' },
  data: { 'a.yaml': 'b: |\n  ---\n  c\n' },
});
