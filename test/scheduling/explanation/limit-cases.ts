import { aCluster, affinityTo, createPods, HOSTNAME, requesting } from '../support/fixture.ts';
import { provision } from '../support/provision.ts';
import { aWebPod, type ExplanationCase, general } from './explanation-case.ts';

/** NodePool limits. */
export const LIMIT_CASES: readonly ExplanationCase[] = [
  {
    title: 'a limit is reached',
    says: [
      '1 of default/new-2',
      'general: cpu 20 of 20 in use; smallest fitting node default adds 4',
      'a node: needs 3.5 cpu; 400m left',
      'raise limits.cpu of NodePool general to 24 (+$0.8295/h)',
    ],
    cluster: provision(
      aCluster({ pools: [{ ...general, limits: { cpu: 20_000 } }] }),
      ...createPods(4, 'old', {
        requests: requesting(3.5),
        podAntiAffinity: [affinityTo('web', HOSTNAME)],
      }),
    ).after,
    pods: createPods(2, 'new', {
      requests: requesting(3.5),
      podAntiAffinity: [affinityTo('web', HOSTNAME)],
    }),
  },
  {
    title: 'the limit on nodes is reached',
    says: [
      '1 of default/web-7c9-x',
      'general: nodes 0 of 0 in use; smallest fitting node (any type) adds 1',
      'raise limits.nodes of NodePool general to 1 (+$0.4147/h)',
    ],
    cluster: aCluster({ pools: [{ ...general, limits: { nodes: 0 } }] }),
    pods: [aWebPod()],
  },
  {
    title: 'a limit that this very plan reaches',
    says: [
      '2 of default/a-2',
      'general: cpu 2 of 3 in use; smallest fitting node small adds 2',
      'raise limits.cpu of NodePool general to 6 (+$0.8295/h)',
    ],
    cluster: aCluster({ pools: [{ ...general, limits: { cpu: 3000 } }] }),
    pods: createPods(3, 'a', {
      requests: requesting(1.5),
      podAntiAffinity: [affinityTo('web', HOSTNAME)],
    }),
  },
];
