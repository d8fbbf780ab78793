import { aDaemonSet, aNode, aPodSpec, aPodTemplate } from '../../support/builders.ts';
import { aCluster, aPoolRequiring, fakeType, GPU_A, need, requesting, TYPE, tiny } from '../support/fixture.ts';
import { provision } from '../support/provision.ts';
import { aWebPod, type ExplanationCase, general } from './explanation-case.ts';

/** Requests that no node can hold. */
export const REQUEST_CASES: readonly ExplanationCase[] = [
  {
    title: 'no type of the pool has the GPU',
    says: [
      '1 of default/web-7c9-x',
      'general: no type meets 1 vendor-a/gpu; missing most: vendor-a/gpu',
      'allow node.kubernetes.io/instance-type In [small, default, gpu-a] instead of In [small, default] in NodePool general (gpu-a spot, +$1.8295/h)',
    ],
    cluster: aCluster({
      pools: [{ ...aPoolRequiring(need(TYPE, 'In', 'small', 'default')), name: 'general' }],
    }),
    pods: [aWebPod({ requests: requesting(1, 1, { [GPU_A]: 1 }) })],
  },
  {
    title: 'too large for any type',
    says: ['1 of default/web-7c9-x', 'general: needs 64 cpu; largest type arm has 15.9', 'no single change helps'],
    cluster: aCluster({ pools: [general] }),
    pods: [aWebPod({ requests: requesting(64, 8) })],
  },
  {
    title: 'too large for any type beside the DaemonSets',
    says: [
      '1 of default/web-7c9-x',
      'general: no type meets 3.5 cpu beside the 1 of DaemonSets; missing most: cpu, of which default has 2.9 left',
      'request at most 2.9 cpu instead of 3.5 in Deployment web (default spot, +$0.8295/h)',
    ],
    cluster: aCluster({
      pools: [{ ...aPoolRequiring(need(TYPE, 'In', 'small', 'default')), name: 'general' }],
      daemonSets: [aDaemonSet({ template: aPodTemplate({ spec: aPodSpec({ requests: requesting(1) }) }) })],
    }),
    pods: [aWebPod({ requests: requesting(3.5) })],
  },
  {
    title: 'millions of CPUs: milli was meant',
    says: [
      '1 of default/web-7c9-x',
      'general: needs 2000000 (whole CPUs, not milli) cpu; largest type arm has 15.9',
      'no single change helps',
    ],
    cluster: aCluster({ pools: [general] }),
    pods: [aWebPod({ requests: requesting(2_000_000) })],
  },
  {
    title: 'CPU and memory fit, but on no type both',
    says: [
      '1 of default/web-7c9-x',
      'general: no type meets 8 cpu, 32Gi memory; missing most: one type with all of it',
      'no single change helps',
    ],
    cluster: aCluster({
      pools: [general],
      types: [fakeType('cpu', { cpus: 16, gib: 4 }), fakeType('memory', { cpus: 2, gib: 64 })],
    }),
    pods: [aWebPod({ requests: requesting(8, 32) })],
  },
  {
    title: 'a host port that every node has taken',
    says: [
      '1 of default/web-7c9-x',
      'general: nodes 1 of 1 in use; smallest fitting node (any type) adds 1',
      'a node: TCP/80 taken by a pod that runs there',
      'raise limits.nodes of NodePool general to 2 (small spot, +$0.4147/h)',
    ],
    cluster: {
      ...provision(
        aCluster({ pools: [general] }),
        tiny('first', { hostPorts: [{ port: 80, protocol: 'TCP', ip: '' }] }),
      ).after,
      pools: [{ ...general, limits: { nodes: 1 } }],
    },
    pods: [aWebPod({ hostPorts: [{ port: 80, protocol: 'TCP', ip: '' }] })],
  },
  {
    title: 'a node that Mortise does not manage has no room, and there is no pool',
    says: ['1 of default/web-7c9-x', 'a node: needs 2 cpu; 1 left', 'no single change helps'],
    cluster: aCluster({
      pools: [],
      nodes: [aNode({ name: 'their-node', allocatable: { cpu: 1000, memory: 2 ** 30, pods: 10 } })],
    }),
    pods: [aWebPod({ requests: requesting(2) })],
  },
];
