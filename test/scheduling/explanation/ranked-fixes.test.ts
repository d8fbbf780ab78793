import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { formatFix } from '../../../shared/model/explanations/plan-text.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { aDaemonSet, aPodSpec, aPodTemplate, NOON } from '../../support/builders.ts';
import {
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
  listFixes(...args).map((fix) => formatFix(fix).replace(/ \(\+\$.*\)$/, ''));

describe('the fixes of a pod that no NodePool takes', () => {
  it('allow a larger type and ask for less before they tolerate the taint of another team', () => {
    const cluster = aCluster({ types: TYPES, pools: [general(), batch] });

    expect(textsOf(cluster, aNotebook(12))).toEqual([
      'set spec.template.spec.requirements[0].values of NodePool general (karpenter.k8s.aws/instance-cpu) to [17]',
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
      pools: [
        general({ requirements: [need(TYPE, 'In', 'm-2'), need(CAPACITY, 'In', 'on-demand')] }),
      ],
      unavailable: [{ instanceType: 'm-2', capacityType: 'on-demand', until: NOON + MINUTE_MS }],
    });

    expect(textsOf(cluster, aNotebook(1))).toEqual([
      'set spec.template.spec.requirements[0].values of NodePool general (node.kubernetes.io/instance-type) to [m-2, m-4]',
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
