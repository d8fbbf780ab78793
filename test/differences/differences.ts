import {
  EXPENSIVE_POOL_TAINT,
  isSameTaint,
  SURPLUS_TAINT,
  type Taint,
} from '../../shared/model/requirements/taints.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/model/time.ts';
import { NOON } from '../support/builders.ts';
import { aPoolOf, aService, listFalling, type Played, type SmallCluster } from './small-cluster.ts';

/** A cluster that behaves otherwise than under Karpenter, and what is seen. */
export interface Scene {
  /** The cluster, and what is observed. */
  readonly title: string;
  readonly cluster: SmallCluster;
  readonly observe: (played: Played) => string;
  readonly byDefault: string;
  /** With the restoring settings, and under the rules of `karpenter-disruption.ts`. */
  readonly asKarpenter: string;
}

interface Difference {
  readonly topic: string;
  readonly karpenter: string;
  readonly mortise: string;
  /** The settings that restore Karpenter's behaviour; `undefined` if there is none. */
  readonly restoredBy?: Readonly<Record<string, string>>;
}

/** A difference that is played in the simulator. */
export interface PlayedDifference extends Difference {
  readonly scene: Scene;
}

/** A difference that needs more than a small cluster to be seen: a test covers it, and the setting if there is one. */
export interface TestedDifference extends Difference {
  readonly test: string;
}

const at = (minutes: number): number => NOON + minutes * MINUTE_MS;
const count =
  (taint: Taint) =>
  ({ taints }: Played) =>
    `${taints.filter((one) => isSameTaint(one, taint)).length}`;
const listGone = ({ gone }: Played): string => gone.join(', ');

export const PLAYED: readonly PlayedDifference[] = [
  {
    topic: 'A move has a price',
    karpenter: 'moves pods for any saving',
    mortise:
      'moves pods if the saving pays for their evictions within an hour, is at least $0.01 per hour and, with a replacement, a tenth of the price; otherwise the node says so (`not-paid-back`, `saves-too-little`), and from when it goes if time alone is enough. Pods that a rollout or repair has moved stay for ten minutes (`still-paying-back`)',
    restoredBy: { CONSOLIDATION_PAYBACK: 'Any' },
    scene: {
      title: 'Three `m7g.xlarge`, each with eight small pods since 12:01; at 12:02 one suffices. Nodes are gone at',
      cluster: { pools: [aPoolOf(['m7g.xlarge'])], deployments: listFalling(3, 8), until: at(90) },
      observe: listGone,
      byDefault: '12:03:30, 12:22:30',
      asKarpenter: '12:03:30, 12:03:30',
    },
  },
  {
    topic: 'Several moves at a time',
    karpenter: 'has one command of consolidation in validation at a time',
    mortise: 'starts up to ten commands at a time, within the budgets; they touch different nodes',
    scene: {
      title:
        "Two NodePools that cannot take each other's pods have a `m7g.xlarge` each; from 12:02 on, a `m7g.large` suffices in each. Nodes are gone at",
      cluster: {
        pools: ['a', 'b'].map((tier) => aPoolOf(['m7g.large', 'm7g.xlarge'], { name: tier, labels: { tier } })),
        deployments: ['a', 'b'].flatMap((tier) => [
          aService(`large-${tier}`, { cpu: 2.6, schedule: '11:00=1 12:02=0', nodeSelector: { tier } }),
          aService(`small-${tier}`, { cpu: 1, nodeSelector: { tier } }),
        ]),
        until: at(30),
      },
      observe: listGone,
      byDefault: '12:04:10, 12:04:10',
      asKarpenter: '12:04:10, 12:04:30',
    },
  },
  {
    topic: 'Growth',
    karpenter: 'launches nodes for the pods that wait',
    mortise:
      'launches larger nodes while a NodePool grows steadily, with room for the pods to come; and a move has to pay back before the NodePool launches as much again',
    restoredBy: { GROWTH_WINDOW: '0s' },
    scene: {
      title: 'A Deployment gets a pod of 1.5 CPUs every ten minutes. Instance types launched within 80 minutes',
      cluster: {
        pools: [aPoolOf(['m7g.large', 'm7g.xlarge', 'm7g.2xlarge'], { consolidateAfterMs: 2 * HOUR_MS })],
        deployments: [
          aService('web', {
            cpu: 1.5,
            schedule: '11:00=1 12:10=2 12:20=3 12:30=4 12:40=5 12:50=6 13:00=7 13:10=8 13:15=9',
          }),
        ],
        until: at(80),
      },
      observe: ({ launchedTypes }) =>
        [...Map.groupBy(launchedTypes, (type) => type)].map(([type, all]) => `${all.length} ${type}`).join(', '),
      byDefault: '3 m7g.large, 3 m7g.xlarge',
      asKarpenter: '9 m7g.large',
    },
  },
  {
    topic: 'Nodes that their NodePool could do without',
    karpenter: 'leaves them as they are',
    mortise: 'gives them the taint `mortise.sh/surplus:PreferNoSchedule`, so that new pods prefer other nodes',
    restoredBy: { SURPLUS_NODES: 'Ignore' },
    scene: {
      title: 'Four `m7g.xlarge` with a small pod each and `consolidateAfter: 1h`. Nodes with the taint at 12:30',
      cluster: {
        pools: [aPoolOf(['m7g.xlarge'], { consolidateAfterMs: HOUR_MS })],
        deployments: listFalling(4, 1),
        until: at(30),
      },
      observe: count(SURPLUS_TAINT),
      byDefault: '1',
      asKarpenter: '0',
    },
  },
  {
    topic: 'Nodes of a more expensive NodePool',
    karpenter: 'leaves the choice of the node to kube-scheduler',
    mortise:
      'gives new nodes the taint `mortise.sh/expensive-pool:PreferNoSchedule` if a cheaper NodePool of the same weight suits some of the pods; and `mortise.sh/fill-last:PreferNoSchedule` for five minutes if their room is for pods that no other node of the plan can take',
    restoredBy: { STEER_PODS: 'false' },
    scene: {
      title:
        'A pod needs the NodePool `special`, whose nodes are more expensive; others run anywhere. Nodes with the taint at 12:05',
      cluster: {
        pools: [aPoolOf(['m7g.xlarge']), aPoolOf(['r7i.xlarge'], { name: 'special', labels: { tier: 'special' } })],
        deployments: [
          aService('cache', { cpu: 2, nodeSelector: { tier: 'special' } }),
          aService('web', { cpu: 1, replicas: 6 }),
        ],
        until: at(5),
      },
      observe: count(EXPENSIVE_POOL_TAINT),
      byDefault: '1',
      asKarpenter: '0',
    },
  },
  {
    topic: 'Size of the cluster',
    karpenter: 'is limited by the NodePools alone',
    mortise:
      'is also limited to three times the nodes of the peak of the last day, at least 20; the limit rises whenever nodes become ready',
    restoredBy: { MAX_NODES: '100000' },
    scene: {
      title: '30 pods that need a node each appear in a new cluster. Nodes requested within 30 s',
      cluster: {
        pools: [aPoolOf(['m7g.large'])],
        deployments: [aService('web', { cpu: 1.5, replicas: 30 })],
        until: at(1),
      },
      observe: ({ firstNodes }) => `${firstNodes}`,
      byDefault: '20',
      asKarpenter: '30',
    },
  },
];

export const TESTED: readonly TestedDifference[] = [
  {
    topic: 'Pods that end in a scale-down, where the right to patch pods was given',
    karpenter:
      'does not influence the choice; the gate `PodDeletionCostManagement` is off by default, and on it overwrites costs of users',
    mortise:
      'gives pods of ReplicaSets a deletion cost, so that those on the most wasteful nodes end first; a cost of the user stays, and `karpenter.sh/disruption-cost` counts before it',
    restoredBy: { SURPLUS_NODES: 'Ignore' },
    test: 'test/controllers/disruption/surplus-nodes.test.ts',
  },
  {
    topic: 'Preferences that keep a node',
    karpenter: 'keeps a node whose pods prefer to be apart, however empty it is',
    mortise: 'replaces it by a smaller node that takes all of its pods',
    restoredBy: { CONSOLIDATION_PAYBACK: 'Any' },
    test: 'test/disruption/consolidation/preferred-topology.test.ts',
  },
  {
    topic: 'Replacements',
    karpenter: 'replaces nodes by one node',
    mortise: 'may replace an on-demand node by a node in each of the NodePools that suit its pods',
    restoredBy: { CONSOLIDATION_PAYBACK: 'Any' },
    test: 'test/disruption/consolidation/several-replacements.test.ts',
  },
  {
    topic: 'Binding of a plan',
    karpenter: 'launches the nodes of its simulation; pods that kube-scheduler binds otherwise wait for a further node',
    mortise: 'simulates the binding of the plan in several orders, and changes or adds nodes until the pods fit',
    test: 'test/scheduling/plans-that-hold.test.ts',
  },
  {
    topic: 'Failing rollouts',
    karpenter:
      'replaces drifted nodes, whether nodes of the new image become ready or not, as long as each replacement does',
    mortise:
      'waits for the first node of a new image, and stops if nodes of it that were ready are not any more; the EC2NodeClass says so',
    test: 'test/controllers/disruption/rollouts.test.ts',
  },
  {
    topic: 'Refused launches',
    karpenter: 'tries the NodePool again with the next batch',
    mortise:
      'leaves the pods to other NodePools for a minute after a launch that EC2 refuses, and for up to an hour if it goes on',
    test: 'test/controllers/launch/launch-backoff.test.ts',
  },
  {
    topic: 'First minutes after a hand-over',
    karpenter: 'disrupts nodes at once',
    mortise: 'starts no voluntary disruption for ten minutes, and says so',
    test: 'test/controllers/support/ownership.test.ts',
  },
  {
    topic: 'Budgets with a schedule',
    karpenter: 'starts as many moves as the budget allows when a window opens',
    mortise: 'spreads the moves of nodes with pods over the first half of the window, at most an hour',
    test: 'test/disruption/window-pace.test.ts',
  },
  {
    topic: 'Unhealthy nodes, with the gate `NodeRepair`',
    karpenter: 'drains the node when its replacement is ready; may reboot a GPU node in place',
    mortise: 'the same; also counts the two reboots of a day that precede a replacement across restarts of itself',
    test: 'test/disruption/repair/replace-unhealthy.test.ts',
  },
];
