import { HOUR_MS } from '../../../shared/model/time.ts';
import { aCluster, affinityTo, createPods, HOSTNAME, requesting } from '../support/fixture.ts';
import { provision } from '../support/provision.ts';
import { aWebPod, type ExplanationCase, general } from './explanation-case.ts';

/** The hours begin at 14:00; it is noon. */
const hours = (offHoursNodes: number) => ({
  windows: [{ schedule: '0 14 * * *', durationMs: 8 * HOUR_MS }],
  offHoursNodes,
});

/** NodePool limits. */
export const LIMIT_CASES: readonly ExplanationCase[] = [
  {
    title: 'a limit is reached',
    says: [
      '1 of default/new-2',
      'general: cpu 20 of 20 in use; smallest fitting node default adds 4',
      'a node: needs 3.5 cpu; 400m left',
      'raise limits.cpu of NodePool general to 24 (default spot, +$0.8295/h)',
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
      'raise limits.nodes of NodePool general to 1 (small spot, +$0.4147/h)',
    ],
    cluster: aCluster({ pools: [{ ...general, limits: { nodes: 0 } }] }),
    pods: [aWebPod()],
  },
  {
    title: 'the NodePool is in its off hours',
    says: [
      '1 of default/web-7c9-x',
      'general: in its off hours: 0 of at most 0 nodes in use, more from 2026-01-01T13:55:00Z on',
      'wait: NodePool general may launch nodes again at 2026-01-01T13:55:00Z (small spot, +$0.4147/h)',
    ],
    cluster: aCluster({ pools: [{ ...general, hours: hours(0) }] }),
    pods: [aWebPod()],
  },
  {
    title: 'the plan launches all nodes that the NodePool may have in its off hours',
    says: [
      '1 of default/a-2',
      'general: in its off hours: 1 of at most 1 nodes in use, more from 2026-01-01T13:55:00Z on',
      'wait: NodePool general may launch nodes again at 2026-01-01T13:55:00Z (small spot, +$0.4147/h)',
    ],
    cluster: aCluster({ pools: [{ ...general, hours: hours(1) }] }),
    pods: createPods(2, 'a', {
      requests: requesting(1.5),
      podAntiAffinity: [affinityTo('web', HOSTNAME)],
    }),
  },
  {
    title: 'a limit that this very plan reaches',
    says: [
      '2 of default/a-2',
      'general: cpu 2 of 3 in use; smallest fitting node small adds 2',
      'raise limits.cpu of NodePool general to 6 (2 small spot, +$0.8295/h)',
    ],
    cluster: aCluster({ pools: [{ ...general, limits: { cpu: 3000 } }] }),
    pods: createPods(3, 'a', {
      requests: requesting(1.5),
      podAntiAffinity: [affinityTo('web', HOSTNAME)],
    }),
  },
];
