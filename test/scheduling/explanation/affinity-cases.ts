import { aCluster, affinityTo, HOSTNAME, requesting, spreadOver, tiny, Z1, Z2, Z3, ZONE } from '../support/fixture.ts';
import { provision } from '../support/provision.ts';
import { aWebPod, type ExplanationCase, general, unavailable } from './explanation-case.ts';

const oneIn = (zone: string, name: string, labels = { app: 'web' }) =>
  tiny(name, { nodeSelector: { [ZONE]: zone }, requests: requesting(1.5) }, labels);

const inZones = [Z1, Z2, Z3].map((zone, index) => oneIn(zone, `db-${index}`, { app: 'db' }));

/** Pod affinity and anti-affinity. */
export const AFFINITY_CASES: readonly ExplanationCase[] = [
  {
    title: 'the spread has no domain',
    says: [
      '1 of default/web-7c9-x',
      'general: no node and no pool has label example.com/rack',
      'prefer instead of require the spread over example.com/rack in Deployment web (small spot, +$0.4147/h)',
    ],
    cluster: aCluster({ pools: [general] }),
    pods: [aWebPod({ topologySpread: [spreadOver('example.com/rack')] })],
  },
  {
    title: 'the spread wants the one zone that has no capacity',
    says: [
      '1 of default/web-7c9-x',
      'general: topology.kubernetes.io/zone: maxSkew 1, counts test-zone-1 1, test-zone-2 1, test-zone-3 0, no node can be in test-zone-3',
      'general: default and 5 more types on-demand test-zone-3 out of capacity until 2026-01-01T12:02:00Z',
      'a node: needs 1.5 cpu; 400m left',
      'wait: EC2 is asked again at 2026-01-01T12:02:00Z (small on-demand, +$0.4147/h)',
    ],
    cluster: {
      ...provision(aCluster({ pools: [general] }), oneIn(Z1, 'a'), oneIn(Z2, 'b')).after,
      unavailable: [unavailable({ zone: Z3 })],
    },
    pods: [aWebPod({ requests: requesting(1.5), topologySpread: [spreadOver(ZONE)] })],
  },
  {
    title: 'pods that it avoids are in every zone',
    says: [
      '1 of default/web-7c9-x',
      'general: must not share topology.kubernetes.io/zone with app=db; test-zone-1, test-zone-2, test-zone-3 taken',
      'a node: must not share topology.kubernetes.io/zone with app=db; test-zone-1 taken',
      'prefer instead of require the anti-affinity over topology.kubernetes.io/zone in Deployment web',
    ],
    cluster: provision(aCluster({ pools: [general] }), ...inZones).after,
    pods: [aWebPod({ podAntiAffinity: [affinityTo('db', ZONE)] })],
  },
  {
    title: 'pods that must be apart, on the only node that may be',
    says: [
      '1 of default/web-7c9-x',
      'a node: must not share kubernetes.io/hostname with app=web; general-… taken',
      'no single change helps',
    ],
    cluster: {
      ...provision(aCluster({ pools: [general] }), oneIn(Z1, 'a')).after,
      pools: [],
    },
    pods: [aWebPod({ podAntiAffinity: [affinityTo('web', HOSTNAME)] })],
  },
  {
    title: 'the pod that it must be near does not run',
    says: [
      '1 of default/web-7c9-x',
      'general: must share topology.kubernetes.io/zone with app=cache: none runs',
      'prefer instead of require the affinity over topology.kubernetes.io/zone in Deployment web (small spot, +$0.4147/h)',
    ],
    cluster: aCluster({ pools: [general] }),
    pods: [aWebPod({ podAffinity: [affinityTo('cache', ZONE)] })],
  },
];
