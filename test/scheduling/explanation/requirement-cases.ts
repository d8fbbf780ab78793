import { ARCH, aCluster, aPoolRequiring, need, requesting, TYPE, Z1, Z2, Z3, ZONE } from '../support/fixture.ts';
import { aWebPod, type ExplanationCase, general } from './explanation-case.ts';

/** Labels that pods require and NodePools do not provide. */
export const REQUIREMENT_CASES: readonly ExplanationCase[] = [
  {
    title: 'the zone is not one of the pool',
    says: [
      '1 of default/web-7c9-x',
      'general: pod needs topology.kubernetes.io/zone In [test-zone-3], pool gives In [test-zone-1, test-zone-2]',
      'allow topology.kubernetes.io/zone In [test-zone-1, test-zone-2, test-zone-3] instead of In [test-zone-1, test-zone-2] in NodePool general (small on-demand, +$0.4147/h)',
    ],
    cluster: aCluster({
      pools: [{ ...aPoolRequiring(need(ZONE, 'In', Z1, Z2)), name: 'general' }],
    }),
    pods: [aWebPod({ nodeSelector: { [ZONE]: Z3 } })],
  },
  {
    title: 'the architecture is not one of the pool',
    says: [
      '1 of default/web-7c9-x',
      'general: pod needs kubernetes.io/arch In [arm64], pool gives In [amd64]',
      'allow kubernetes.io/arch In [amd64, arm64] instead of In [amd64] in NodePool general (arm spot, +$15.3439/h)',
    ],
    cluster: aCluster({
      pools: [{ ...aPoolRequiring(need(ARCH, 'In', 'amd64')), name: 'general' }],
    }),
    pods: [aWebPod({ nodeSelector: { [ARCH]: 'arm64' } })],
  },
  {
    title: 'too few types for minValues',
    says: [
      '1 of default/web-7c9-x',
      'general: minValues of node.kubernetes.io/instance-type 2, 1 fit',
      'ask for at least 1 value of node.kubernetes.io/instance-type instead of 2 in NodePool general (default spot, +$0.8295/h)',
    ],
    cluster: aCluster({
      pools: [
        {
          ...aPoolRequiring({ ...need(TYPE, 'In', 'small', 'default'), minValues: 2 }),
          name: 'general',
        },
      ],
    }),
    pods: [aWebPod({ requests: requesting(3) })],
  },
  {
    title: 'a requirement that leaves the pool no type',
    says: [
      '1 of default/web-7c9-x',
      'general: requirements leave none of 6 types',
      'drop the requirement node.kubernetes.io/instance-type In [m99] of NodePool general (small spot, +$0.4147/h)',
    ],
    cluster: aCluster({ pools: [{ ...aPoolRequiring(need(TYPE, 'In', 'm99')), name: 'general' }] }),
    pods: [aWebPod()],
  },
  {
    title: 'a label that no pool gives its nodes',
    says: [
      '1 of default/web-7c9-x',
      'general: no node and no pool has label example.com/team',
      'add label example.com/team=red to the nodes of NodePool general (small spot, +$0.4147/h)',
    ],
    cluster: aCluster({ pools: [general] }),
    pods: [aWebPod({ nodeSelector: { 'example.com/team': 'red' } })],
  },
  {
    title: 'a typo in a label',
    says: [
      '1 of default/web-7c9-x',
      'general: no node and no pool has label topology.kubernetes.io/zones',
      'select topology.kubernetes.io/zone instead of topology.kubernetes.io/zones in Deployment web (small spot, +$0.4147/h)',
    ],
    cluster: aCluster({ pools: [general] }),
    pods: [aWebPod({ nodeSelector: { 'topology.kubernetes.io/zones': Z1 } })],
  },
  {
    title: 'a short name for a label',
    says: [
      '1 of default/web-7c9-x',
      'general: no node and no pool has label zone',
      'select topology.kubernetes.io/zone instead of zone in Deployment web (small spot, +$0.4147/h)',
    ],
    cluster: aCluster({ pools: [general] }),
    pods: [aWebPod({ nodeSelector: { zone: Z1 } })],
  },
];
