import { aCluster, aPool, aPoolRequiring, CAPACITY, need, requiringNode } from '../support/fixture.ts';
import { aWebPod, type ExplanationCase, general } from './explanation-case.ts';

const TAINT = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' } as const;

/** Taints, and NodePools that cannot launch. */
export const NODE_POOL_CASES: readonly ExplanationCase[] = [
  {
    title: 'a toleration is missing',
    says: [
      '1 of default/web-7c9-x',
      'general: taint dedicated=gpu:NoSchedule not tolerated',
      'let Deployment web tolerate dedicated=gpu:NoSchedule (small spot, +$0.4147/h)',
    ],
    cluster: aCluster({ pools: [{ ...general, taints: [TAINT] }] }),
    pods: [aWebPod()],
  },
  {
    title: 'every pool has a taint of its own',
    says: [
      '1 of default/web-7c9-x',
      'two: taint dedicated=two:NoSchedule not tolerated',
      'one: taint dedicated=one:NoSchedule not tolerated',
      'add a NodePool without taints, such as a copy of one: every NodePool has some (small spot, +$0.4147/h)',
    ],
    cluster: aCluster({
      pools: ['one', 'two'].map((name) => aPool({ name, taints: [{ ...TAINT, value: name }] })),
    }),
    pods: [aWebPod()],
  },
  {
    title: 'two pools refuse for different reasons',
    says: [
      '1 of default/web-7c9-x',
      'spot: cpu 0 of 0 in use; smallest fitting node small adds 2',
      'general: taint dedicated=gpu:NoSchedule not tolerated',
      'raise limits.cpu of NodePool spot to 2 (small spot, +$0.4147/h)',
    ],
    cluster: aCluster({
      pools: [
        { ...aPoolRequiring(need(CAPACITY, 'In', 'spot')), name: 'spot', limits: { cpu: 0 } },
        { ...general, taints: [TAINT] },
      ],
    }),
    pods: [aWebPod(requiringNode(need(CAPACITY, 'In', 'spot', 'on-demand')))],
  },
  {
    title: 'the NodePool is not ready',
    says: [
      '1 of default/web-7c9-x',
      'general: not Ready: NodeClassReady, EC2NodeClass default: no subnet matches',
      'no single change helps',
    ],
    cluster: aCluster({
      pools: [
        {
          ...general,
          ready: false,
          notReady: {
            condition: 'NodeClassReady',
            message: 'EC2NodeClass default: no subnet matches',
          },
        },
      ],
    }),
    pods: [aWebPod()],
  },
  {
    title: 'there is no NodePool',
    says: ['1 of default/web-7c9-x', 'no single change helps'],
    cluster: aCluster({ pools: [] }),
    pods: [aWebPod()],
  },
  {
    title: 'the NodePool is being deleted',
    says: ['1 of default/web-7c9-x', 'general: takes no pods that wait: it is being deleted', 'no single change helps'],
    cluster: aCluster({ pools: [{ ...general, deleting: true }] }),
    pods: [aWebPod()],
  },
  {
    title: 'the only pool launches what it is told, not what pods ask for',
    says: [
      '1 of default/web-7c9-x',
      'general: takes no pods that wait: it is static, with 2 replicas',
      'no single change helps',
    ],
    cluster: aCluster({ pools: [{ ...general, replicas: 2 }] }),
    pods: [aWebPod()],
  },
];
