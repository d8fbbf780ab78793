import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { formatFix } from '../../../shared/model/explanations/plan-text.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { aDaemonSet, aPodSpec, aPodTemplate, NOON } from '../../support/builders.ts';
import {
  ARCH,
  aCluster,
  aPool,
  CAPACITY,
  fakeType,
  INTEGER,
  need,
  requesting,
  TYPE,
  tiny,
  Z1,
  Z2,
  ZONE,
} from '../support/fixture.ts';
import { provision } from '../support/provision.ts';

const TYPES = [2, 4, 8, 16, 32].map((cpus) => fakeType(`m-${cpus}`, { cpus, gib: cpus * 4 }));

/** The NodePool of the web tier, which launches small nodes only. */
const general = (over: Partial<NodePool> = {}): NodePool =>
  aPool({ name: 'general', weight: 10, requirements: [need(INTEGER, 'Lt', '9')], ...over });

/** The NodePool of another team. */
const batch = aPool({
  name: 'batch',
  taints: [{ key: 'workload', value: 'batch', effect: 'NoSchedule' }],
});

const aNotebook = (cpus: number) => ({
  ...tiny('notebook-7c9-x', { requests: requesting(cpus, 8) }, { 'pod-template-hash': '7c9' }),
  owner: { kind: 'ReplicaSet', name: 'notebook-7c9', uid: 'rs' },
});

function listFixes(cluster: ClusterSnapshot, pod: ReturnType<typeof aNotebook>) {
  const [unplaced] = planProvisioning({ ...cluster, pods: [pod] }, 'decision-1').unplaced;
  return unplaced?.fix ? [unplaced.fix, ...(unplaced.otherFixes ?? [])] : [];
}

const textsOf = (...args: Parameters<typeof listFixes>): string[] =>
  listFixes(...args).map((fix) => formatFix(fix).replace(/ \([^()]*\)$/, ''));

describe('the fixes of a pod that no NodePool takes', () => {
  it('allow a larger type and ask for less before they tolerate the taint of another team', () => {
    const cluster = aCluster({ types: TYPES, pools: [general(), batch] });

    expect(textsOf(cluster, aNotebook(12))).toEqual([
      'allow karpenter.k8s.aws/instance-cpu < 17 instead of < 9 in NodePool general',
      'request at most 7.9 cpu instead of 12 in Deployment notebook',
      'let Deployment notebook tolerate workload=batch:NoSchedule',
    ]);
  });

  it('raise a limit before they tolerate the taint of another team', () => {
    const cluster = aCluster({
      types: TYPES,
      pools: [general({ requirements: [], limits: { cpu: 8000 } }), batch],
    });

    expect(textsOf(cluster, aNotebook(12))).toEqual([
      'raise limits.cpu of NodePool general to 16',
      'let Deployment notebook tolerate workload=batch:NoSchedule',
    ]);
  });

  it('do not propose spot to a NodePool that is on-demand only', () => {
    const cluster = aCluster({
      types: TYPES,
      pools: [general({ requirements: [need(TYPE, 'In', 'm-2'), need(CAPACITY, 'In', 'on-demand')] })],
      unavailable: [{ instanceType: 'm-2', capacityType: 'on-demand', until: NOON + MINUTE_MS }],
    });

    expect(textsOf(cluster, aNotebook(1))).toEqual([
      'allow node.kubernetes.io/instance-type In [m-2, m-4] instead of In [m-2] in NodePool general',
    ]);
  });

  it('never ask for less than half', () => {
    const cluster = aCluster({ types: TYPES, pools: [general()] });

    expect(listFixes(cluster, aNotebook(16)).map(({ kind }) => kind)).toEqual(['allow-values']);
  });

  it('leave room for DaemonSets in a smaller request', () => {
    const requests = requesting(1);
    const cluster = aCluster({
      types: TYPES,
      pools: [general()],
      daemonSets: [aDaemonSet({ template: aPodTemplate({ spec: aPodSpec({ requests }) }) })],
    });

    expect(listFixes(cluster, aNotebook(9))).toContainEqual(
      expect.objectContaining({ kind: 'reduce-request', from: '9', to: '6.9' }),
    );
  });

  it.each([
    [need(INTEGER, 'Lte', '8'), '[16]'],
    [need(INTEGER, 'NotIn', '16', '32', '48'), '[32, 48]'],
    [need(INTEGER, 'In', '2', '4'), '[2, 4, 16]'],
  ])('widen %o to the type that the pod needs', (requirement, to) => {
    const cluster = aCluster({
      types: TYPES,
      pools: [general({ requirements: [requirement] })],
    });

    expect(listFixes(cluster, aNotebook(12))[0]).toMatchObject({ kind: 'allow-values', to });
  });

  it('lower a bound that excludes what the pod selects', () => {
    const cluster = aCluster({
      types: TYPES,
      pools: [general({ requirements: [need(INTEGER, 'Gt', '7')] })],
    });
    const pod = {
      ...aNotebook(1),
      spec: { ...aNotebook(1).spec, nodeSelector: { [INTEGER]: '4' } },
    };

    expect(listFixes(cluster, pod)[0]).toMatchObject({ kind: 'allow-values', to: '[3]' });
  });

  it('name each change once', () => {
    const cluster = aCluster({
      types: TYPES,
      pools: [general({ requirements: [need(ZONE, 'In', Z1)] })],
    });
    const pod = { ...aNotebook(1), spec: { ...aNotebook(1).spec, nodeSelector: { [ZONE]: Z2 } } };
    const texts = textsOf(cluster, pod);

    expect(new Set(texts).size).toBe(texts.length);
  });
});

const FAMILY = 'karpenter.k8s.aws/instance-family';
const CATEGORY = 'karpenter.k8s.aws/instance-category';
const MAKER = 'karpenter.k8s.aws/instance-gpu-manufacturer';

interface Made {
  readonly cpus?: number;
  readonly gib?: number;
  readonly arm?: true;
  readonly gpu?: string;
}

const aType = (name: string, { cpus = 4, gib = 16, arm, gpu }: Made = {}) => {
  const [family = ''] = name.split('.');
  return fakeType(name, {
    ...{ cpus, gib },
    labels: {
      [FAMILY]: family,
      [CATEGORY]: /^[a-z]/.exec(family)?.[0] ?? '',
      ...(arm && { [ARCH]: 'arm64' }),
      ...(gpu !== undefined && { [MAKER]: gpu }),
    },
    ...(gpu !== undefined && { extra: { [`${gpu}.com/gpu`]: 1 } }),
  });
};

const CATALOGUE = [
  aType('t4g.xlarge', { arm: true, gib: 8 }),
  aType('t3.xlarge', { gib: 8 }),
  aType('m5.large', { cpus: 2, gib: 8 }),
  aType('m6i.xlarge'),
  aType('m7i.xlarge', { gib: 20 }),
  aType('m6g.xlarge', { arm: true }),
  aType('x2gd.metal', { arm: true, cpus: 64, gib: 1024 }),
  aType('x1e.32xlarge', { cpus: 128, gib: 3904 }),
  aType('g5g.xlarge', { arm: true, gpu: 'nvidia', gib: 24 }),
  aType('g5.xlarge', { gpu: 'nvidia', gib: 32, cpus: 8 }),
  aType('g4ad.xlarge', { gpu: 'amd', gib: 24 }),
];

const families = (...values: string[]): NodePool =>
  aPool({ name: 'general', requirements: [need(FAMILY, 'In', ...values)] });

const aWorker = (spec: Parameters<typeof tiny>[1]) => ({
  ...tiny('worker-7c9-x', spec, { 'pod-template-hash': '7c9' }),
  owner: { kind: 'ReplicaSet', name: 'worker-7c9', uid: 'rs' },
});

const widened = (to: string, from: string): string =>
  `allow ${FAMILY} In [${to}] instead of In [${from}] in NodePool general`;
const corrected = (key: string, from: string, to: string): string =>
  `select ${key} ${to} instead of ${from} in Deployment worker`;

describe('the first fix', () => {
  it.each<[string, NodePool, Parameters<typeof tiny>[1], string]>([
    [
      'keeps the architecture of a pool that names none, for a pod that needs a GPU',
      families('m6i'),
      { requests: { ...requesting(1), 'nvidia.com/gpu': 1 } },
      widened('m6i, g5', 'm6i'),
    ],
    [
      'keeps it for a pod that is too large',
      families('m6i'),
      { requests: requesting(1, 600) },
      widened('m6i, x1e', 'm6i'),
    ],
    [
      'takes the other architecture if the pod asks for it',
      families('m6i'),
      { nodeSelector: { [ARCH]: 'arm64' } },
      widened('m6i, m6g', 'm6i'),
    ],
    [
      'adds the family of a type that is asked for by name',
      families('m6i', 'm7i'),
      { nodeSelector: { [TYPE]: 'm5.large' } },
      widened('m6i, m7i, m5', 'm6i, m7i'),
    ],
    [
      'adds no burstable types to a pool that has none',
      families('m5'),
      { requests: requesting(3) },
      widened('m5, m6i', 'm5'),
    ],
    [
      'corrects a misspelt name of a NodePool',
      families('m6i'),
      { nodeSelector: { 'karpenter.sh/nodepool': 'generall' } },
      corrected('karpenter.sh/nodepool', 'generall', 'general'),
    ],
    [
      'corrects a misspelt zone',
      families('m6i'),
      { nodeSelector: { [ZONE]: 'test-zone-1A' } },
      corrected(ZONE, 'test-zone-1A', 'test-zone-1'),
    ],
    [
      'corrects a misspelt capacity type',
      families('m6i'),
      { nodeSelector: { [CAPACITY]: 'on_demand' } },
      corrected(CAPACITY, 'on_demand', 'on-demand'),
    ],
    [
      'corrects a misspelt family',
      families('m6i'),
      { nodeSelector: { [FAMILY]: 'm6ii' } },
      corrected(FAMILY, 'm6ii', 'm6i'),
    ],
    [
      'corrects a misspelt label',
      families('m6i'),
      { nodeSelector: { 'karpenter.k8s.aws/instance-familly': 'm6i' } },
      `select ${FAMILY} instead of karpenter.k8s.aws/instance-familly in Deployment worker`,
    ],
    [
      'corrects a misspelt value of the NodePool',
      aPool({ name: 'general', requirements: [need(FAMILY, 'In', 'm6ii')] }),
      {},
      widened('m6i', 'm6ii'),
    ],
    [
      'raises two limits together if one does not help',
      { ...families('m6i'), limits: { cpu: 1000, memory: 2 ** 30 } },
      {},
      'raise limits of NodePool general to cpu=4, memory=16Gi',
    ],
  ])('%s', (_, pool, spec, expected) => {
    const cluster = aCluster({ types: CATALOGUE, pools: [pool] });

    expect(textsOf(cluster, aWorker(spec))[0]).toBe(expected);
  });

  it('names an architecture that it adds if no other helps', () => {
    const types = CATALOGUE.filter(({ name }) => name !== 'x1e.32xlarge');
    const cluster = aCluster({ types, pools: [families('m6i')] });

    const [fix] = listFixes(cluster, aWorker({ requests: requesting(1, 600) }));

    expect(fix && formatFix(fix)).toMatch(
      /In \[m6i, x2gd\] instead of .* \(x2gd\.metal spot, \+\$\S+\/h, adds arm64 nodes\)$/,
    );
  });

  it('says how many nodes a label of the template replaces', () => {
    const pool = families('m6i');
    const { after } = provision(aCluster({ types: CATALOGUE, pools: [pool] }), tiny('running'));

    const [fix] = listFixes(after, aWorker({ nodeSelector: { team: 'payments' } }));

    expect(fix && formatFix(fix)).toMatch(/^add label team=payments to .*, replaces 1 node\)$/);
  });

  it('is found in a cluster of many NodePools, of which the pods select one', () => {
    const others = Array.from({ length: 20 }, (_, index) => aPool({ name: `other-${index}` }));
    const pools = [...others, { ...families('m6i'), limits: { cpu: 1000 } }];
    const cluster = aCluster({ types: CATALOGUE, pools });
    const pods = Array.from({ length: 3 }, (_, index) => ({
      ...aWorker({ nodeSelector: { 'karpenter.sh/nodepool': 'general' }, requests: requesting(1 + index / 10) }),
      name: `worker-${index}`,
      uid: `worker-${index}`,
      owner: { kind: 'ReplicaSet', name: `worker-${index}`, uid: `rs-${index}` },
    }));
    const { unplaced } = planProvisioning({ ...cluster, pods }, 'decision-1');

    expect(unplaced.map(({ fix }) => fix?.kind)).toEqual(['raise-limit', 'raise-limit', 'raise-limit']);
  });
});
