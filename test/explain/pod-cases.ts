import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { formatReason } from '../../shared/model/explanations/reasons.ts';
import type { NodePool } from '../../shared/model/nodes/node-pool.ts';
import type { Pod, PodSpec } from '../../shared/model/pods/pod.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/model/time.ts';
import {
  aCluster,
  affinityTo,
  aPool,
  type ClusterOptions,
  fakeType,
  INTEGER,
  need,
  requesting,
  spreadOver,
  TYPE,
  tiny,
  Z1,
  Z2,
  Z3,
  ZONE,
} from '../scheduling/support/fixture.ts';
import { provision } from '../scheduling/support/provision.ts';
import { aNode, NOON } from '../support/builders.ts';
import { aBoundClaim, aStorage, aStorageClass, aVolume } from '../support/storage.ts';
import type { ExplainCase } from './explain-case.ts';

const TYPES = [2, 8, 16].map((cpus) => fakeType(`m-${cpus}`, { cpus, gib: cpus * 4 }));
const general = (over: Partial<NodePool> = {}): NodePool => aPool({ name: 'general', ...over });
const requiring = (...requirements: NodePool['requirements']): NodePool => general({ requirements });

const web = (over: Partial<PodSpec> = {}) => ({
  ...tiny('web-7c9-x', { requests: requesting(1, 1), ...over }, { app: 'web', 'pod-template-hash': '7c9' }),
  owner: { kind: 'ReplicaSet', name: 'web-7c9', uid: 'rs' },
});

/** A cluster in which this pod waits since two minutes. */
function waiting(over: Partial<PodSpec>, options: ClusterOptions): ClusterSnapshot {
  const cluster = aCluster({ types: TYPES, ...options });
  return {
    ...cluster,
    takenAt: NOON + 2 * MINUTE_MS,
    pods: [...cluster.pods, web(over)],
  };
}

/** A cluster with room for this pod, which has come to its end without a node. */
function ending(over: Partial<Pod>): ClusterSnapshot {
  const cluster = waiting({}, { pools: [general()] });
  return { ...cluster, pods: cluster.pods.map((pod) => ({ ...pod, ...over })) };
}

const withNode = (snapshot: ClusterSnapshot): ClusterSnapshot => ({
  ...snapshot,
  nodes: [aNode({ name: 'worker' })],
});

const toHeld = (why: string): string => formatReason({ code: 'pod-not-considered', fields: { why } });

const POD = {
  subject: { kind: 'pod', name: 'default/web-7c9-x' },
  outcome: 'pending',
  verdict: 'default/web-7c9-x waits since 2026-01-01T12:00:00Z (2m): needs 1 cpu, 1Gi memory',
} as const;
const NEEDS = 'needs: 1 cpu, 1Gi memory';

/** Nodes with pods in the first two zones, and a pod that must be apart from them. */
const runningIn = (zones: readonly string[], app: string): ClusterSnapshot =>
  provision(
    aCluster({ types: TYPES, pools: [general()] }),
    ...zones.map((zone, index) =>
      tiny(`${app}-${index}`, { nodeSelector: { [ZONE]: zone }, requests: requesting(1.5) }, { app }),
    ),
  ).after;

/** Why a pod waits: the questions that users ask. */
export const POD_CASES: readonly ExplainCase[] = [
  {
    ...POD,
    title: 'too large',
    snapshot: waiting({ requests: requesting(12, 8) }, { pools: [requiring(need(INTEGER, 'Lt', '9'))] }),
    verdict: 'needs 12 cpu, 8Gi memory',
    reasons: ['needs 12 cpu; largest type m-8 has 7.9'],
    evidence:
      'offerings of general: 10 allowed by the NodePool, 10 by the pod, 0 large enough, 0 available, 0 within limits',
    fix: 'allow karpenter.k8s.aws/instance-cpu < 17 instead of < 9 in NodePool general',
    patch: `kubectl patch nodepool general --type json -p '[{"op":"test","path":"/spec/template/spec/requirements/0/key","value":"karpenter.k8s.aws/instance-cpu"},{"op":"replace","path":"/spec/template/spec/requirements/0/values","value":["17"]}]'`,
  },
  {
    ...POD,
    title: 'taint',
    snapshot: waiting(
      {
        tolerations: [
          { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
          { key: 'team', operator: 'Equal', value: 'web' },
        ],
      },
      { pools: [general({ taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] })] },
    ),
    reasons: ['taint dedicated=gpu:NoSchedule not tolerated'],
    evidence: NEEDS,
    fix: 'let Deployment web tolerate dedicated=gpu:NoSchedule',
    patch: `kubectl patch deployment web -n default --type merge -p '{"spec":{"template":{"spec":{"tolerations":[{"key":"team","operator":"Equal","value":"web"},{"key":"dedicated","operator":"Equal","value":"gpu","effect":"NoSchedule"}]}}}}'`,
  },
  {
    ...POD,
    title: 'affinity',
    snapshot: {
      ...runningIn([Z1, Z2, Z3], 'db'),
      takenAt: NOON + 2 * MINUTE_MS,
      pods: [...runningIn([Z1, Z2, Z3], 'db').pods, web({ podAntiAffinity: [affinityTo('db', ZONE)] })],
    },
    reasons: ['must not share topology.kubernetes.io/zone with app=db; test-zone-1, test-zone-2, test-zone-3 taken'],
    evidence: NEEDS,
    fix: 'prefer instead of require the anti-affinity over topology.kubernetes.io/zone in Deployment web',
  },
  {
    ...POD,
    title: 'zone',
    snapshot: waiting({ nodeSelector: { [ZONE]: Z2 } }, { pools: [requiring(need(ZONE, 'In', Z1))] }),
    reasons: ['pod needs topology.kubernetes.io/zone In [test-zone-2], pool gives In [test-zone-1]'],
    evidence: NEEDS,
    fix: 'allow topology.kubernetes.io/zone In [test-zone-1, test-zone-2] instead of In [test-zone-1] in NodePool general',
  },
  {
    ...POD,
    title: 'off hours',
    snapshot: waiting(
      {},
      {
        pools: [
          general({
            hours: {
              windows: [{ schedule: '0 14 * * *', durationMs: 8 * HOUR_MS }],
              offHoursNodes: 0,
            },
          }),
        ],
      },
    ),
    reasons: ['in its off hours: 0 of at most 0 nodes in use, more from 2026-01-01T13:55:00Z on'],
    evidence: '15 available, 0 within limits',
    fix: 'wait: NodePool general may launch nodes again at 2026-01-01T13:55:00Z',
  },
  {
    ...POD,
    title: 'limit',
    snapshot: waiting({}, { pools: [general({ limits: { cpu: 1000 } })] }),
    reasons: ['cpu 0 of 1 in use; smallest fitting node m-2 adds 2'],
    evidence: '15 available, 0 within limits',
    fix: 'raise limits.cpu of NodePool general to 2',
    patch: `kubectl patch nodepool general --type merge -p '{"spec":{"limits":{"cpu":"2"}}}'`,
  },
  {
    ...POD,
    title: 'spread',
    snapshot: {
      ...runningIn([Z1, Z2], 'web'),
      takenAt: NOON + 2 * MINUTE_MS,
      pools: [requiring(need(ZONE, 'In', Z1, Z2))],
      pods: [...runningIn([Z1, Z2], 'web').pods, web({ topologySpread: [spreadOver(ZONE, { minDomains: 3 })] })],
    },
    reasons: [
      'topology.kubernetes.io/zone: maxSkew 1, counts test-zone-1 1, test-zone-2 1, no node can be in another domain: minDomains is 3, 2 exist',
    ],
    evidence: NEEDS,
    fix: 'allow topology.kubernetes.io/zone In [test-zone-1, test-zone-2, test-zone-3] instead of In [test-zone-1, test-zone-2] in NodePool general',
  },
  {
    ...POD,
    title: 'volume zone',
    snapshot: waiting(
      { volumeClaims: ['data'] },
      {
        pools: [requiring(need(ZONE, 'In', Z1, Z2))],
        storage: aStorage({
          classes: [aStorageClass()],
          claims: [aBoundClaim('data', 'pv-1')],
          volumes: [aVolume('pv-1', { nodeTerms: [[need(ZONE, 'In', Z3)]] })],
        }),
      },
    ),
    reasons: [
      'pod needs topology.kubernetes.io/zone In [test-zone-3] for its volumes, pool gives In [test-zone-1, test-zone-2]',
    ],
    evidence: NEEDS,
    fix: 'allow topology.kubernetes.io/zone In [test-zone-1, test-zone-2, test-zone-3] instead of In [test-zone-1, test-zone-2] in NodePool general',
  },
  {
    ...POD,
    title: 'no capacity',
    snapshot: waiting(
      {},
      {
        pools: [requiring(need(TYPE, 'In', 'm-2'))],
        unavailable: [{ instanceType: 'm-2', until: NOON + 5 * MINUTE_MS }],
      },
    ),
    reasons: [
      'm-2 spot and on-demand test-zone-1, test-zone-2, test-zone-3 out of capacity until 2026-01-01T12:05:00Z',
    ],
    evidence: '5 large enough, 0 available',
    fix: 'allow node.kubernetes.io/instance-type In [m-2, m-8] instead of In [m-2] in NodePool general',
  },
  {
    ...{ ...POD, title: 'being deleted', outcome: 'leaving' },
    snapshot: ending({ deletionAt: NOON, awaitedFinalizers: ['example.com/never'] }),
    verdict: 'default/web-7c9-x is being deleted, waits for finalizer example.com/never',
    ...{ reasons: [], evidence: '', fix: undefined },
  },
  {
    ...{ ...POD, title: 'failed without a node', outcome: 'leaving' },
    snapshot: ending({ phase: 'Failed' }),
    verdict: 'default/web-7c9-x has finished: Failed',
    ...{ reasons: [], evidence: '', fix: undefined },
  },
  {
    ...POD,
    title: 'a pod with scheduling gates',
    outcome: 'held',
    snapshot: ending({ spec: web({ schedulingGates: ['example.com/quota'] }).spec }),
    verdict: ': its scheduling gates (example.com/quota) hold it back',
    ...{
      reasons: [toHeld('its scheduling gates (example.com/quota) hold it back')],
      evidence: '',
      fix: undefined,
    },
    next: 'It is scheduled when the controller of the gates removes them.',
  },
  {
    ...POD,
    title: 'a pod of Fargate without a node',
    outcome: 'held',
    snapshot: ending({ labels: { 'eks.amazonaws.com/fargate-profile': 'batch' } }),
    verdict: ': Fargate profile batch runs it',
    ...{ reasons: [toHeld('Fargate profile batch runs it')], evidence: '', fix: undefined },
    next: 'Fargate gives it a node of its own. No NodePool launches one for it.',
  },
  {
    ...POD,
    title: 'a pod that names a node which does not exist',
    outcome: 'held',
    snapshot: ending({ nodeName: 'gone' }),
    verdict: 'default/web-7c9-x is bound to gone, which does not exist',
    ...{
      reasons: [toHeld('it is bound to gone, which does not exist')],
      evidence: 'requests: 1 cpu, 1Gi memory',
      fix: undefined,
    },
    next: 'No node is launched for a pod that is bound. The pod garbage collector deletes it, and its owner makes another.',
  },
  {
    ...POD,
    title: 'a static pod',
    outcome: 'runs',
    snapshot: withNode(
      ending({
        nodeName: 'worker',
        phase: 'Running',
        owner: { kind: 'Node', name: 'worker', uid: 'n' },
      }),
    ),
    verdict: 'default/web-7c9-x runs on worker',
    ...{ reasons: [], evidence: 'requests: 1 cpu, 1Gi memory', fix: undefined },
    next: 'Nothing has to happen. It is a static pod: the kubelet starts it from a file, and it stays until its node goes.',
  },
];
