import { aCluster, aPoolRequiring, need, TYPE, Z1, Z2, Z3, ZONE } from '../support/fixture.ts';
import { aWebPod, type ExplanationCase, general, unavailable } from './explanation-case.ts';

/** Unavailable offerings and full subnets. */
export const CAPACITY_CASES: readonly ExplanationCase[] = [
  {
    title: 'a type is out of capacity in the zone',
    says: [
      '1 of default/web-7c9-x',
      'general: default spot and on-demand test-zone-1 out of capacity until 2026-01-01T12:02:00Z',
      'allow node.kubernetes.io/instance-type In [default, small] instead of In [default] in NodePool general (small spot, +$0.4147/h)',
    ],
    cluster: aCluster({
      pools: [{ ...aPoolRequiring(need(TYPE, 'In', 'default')), name: 'general' }],
      unavailable: [
        unavailable({ instanceType: 'default', zone: Z1, capacityType: 'spot' }),
        unavailable({ instanceType: 'default', zone: Z1, capacityType: 'on-demand' }),
      ],
    }),
    pods: [aWebPod({ nodeSelector: { [ZONE]: Z1 } })],
  },
  {
    title: 'everything is out of capacity',
    says: [
      '1 of default/web-7c9-x',
      'general: default and 5 more types spot and on-demand test-zone-1, test-zone-2, test-zone-3 out of capacity until 2026-01-01T12:02:00Z',
      'wait: EC2 is asked again at 2026-01-01T12:02:00Z (small spot, +$0.4147/h)',
    ],
    cluster: aCluster({
      pools: [general],
      unavailable: [unavailable({})],
    }),
    pods: [aWebPod()],
  },
  {
    title: 'the zone has no subnet',
    says: [
      '1 of default/web-7c9-x',
      'general: NodeClass default has no subnet in test-zone-3, only in test-zone-1, test-zone-2',
      'correct spec.subnetSelectorTerms of EC2NodeClass default, so that it selects a subnet in test-zone-3 (small on-demand, +$0.4147/h)',
    ],
    cluster: aCluster({ pools: [general], zones: { general: [Z1, Z2] } }),
    pods: [aWebPod({ nodeSelector: { [ZONE]: Z3 } })],
  },
  {
    title: 'the subnets of the zone have no address left',
    says: [
      '1 of default/web-7c9-x',
      'general: subnets of NodeClass default in test-zone-3 have no free address left for a node',
      'correct spec.subnetSelectorTerms of EC2NodeClass default, so that it selects a subnet with free addresses in test-zone-3 (small on-demand, +$0.4147/h)',
    ],
    cluster: aCluster({
      pools: [general],
      zones: { general: [Z1, Z2] },
      fullZones: { general: [Z3] },
    }),
    pods: [aWebPod({ nodeSelector: { [ZONE]: Z3 } })],
  },
  {
    title: 'no subnet of the class has an address left',
    says: [
      '1 of default/web-7c9-x',
      'general: subnets of NodeClass default in test-zone-1, test-zone-2 have no free address left for a node',
      'no single change helps',
    ],
    cluster: aCluster({
      pools: [general],
      instanceTypes: { general: [] },
      zones: { general: [] },
      fullZones: { general: [Z1, Z2] },
    }),
    pods: [aWebPod()],
  },
];
