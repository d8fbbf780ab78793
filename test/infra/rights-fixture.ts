import { aTemplate, rightsOf } from './fixture.ts';

/** The stack of a cluster with all options that add rights. */
export const template = aTemplate({
  nodeRoles: 'nodes,gpu-nodes',
  committedCapacity: '{readReservedInstances: true}',
});
/** The conditions of rights on the cluster's own resources. */
export const OURS = {
  StringEquals: { 'aws:ResourceTag/kubernetes.io/cluster/demo': 'owned' },
  StringLike: { 'aws:ResourceTag/karpenter.sh/nodepool': '*' },
};
/** The conditions of rights to create resources: the cluster's tags. */
export const TAGGED = {
  StringEquals: {
    'aws:RequestTag/kubernetes.io/cluster/demo': 'owned',
    'aws:RequestTag/eks:eks-cluster-name': 'demo',
  },
  StringLike: { 'aws:RequestTag/karpenter.sh/nodepool': '*' },
};

export const statementsFor = (name: string, action: string) =>
  rightsOf(template, name).filter(({ actions }) => actions.includes(action));

/** Lists the queues that the function may send to. */
export const sendsTo = (name: string): readonly string[] =>
  statementsFor(name, 'sqs:SendMessage')
    .flatMap(({ resources }) => resources)
    .map((resource) => resource.replace(/^<(?:Queues)?(.*).{8}>$/, '$1'))
    .toSorted();
