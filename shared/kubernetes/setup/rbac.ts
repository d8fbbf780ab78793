import { OWNER_LEASE } from '../kubernetes-ownership.ts';
import { CONTROLLER_GROUP, type Manifest, OURS, READER_GROUP } from './manifest.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

const LOOK = ['get', 'list', 'watch'] as const;

const rule = (group: string, resources: readonly string[], verbs: readonly string[]): Rule => ({
  apiGroups: [group],
  resources,
  verbs,
});

/** What decisions are made of, and what commands such as `plan` and `explain` look at. */
const READS: readonly Rule[] = [
  rule('', ['pods', 'nodes', 'namespaces', 'persistentvolumes', 'persistentvolumeclaims'], LOOK),
  rule('apps', ['daemonsets'], LOOK),
  // Owners tell how many pods are still to come, and quotas how many of them may.
  rule('apps', ['replicasets', 'statefulsets'], ['get']),
  // What the pods of a CapacityBuffer are like.
  rule('apps', ['deployments'], ['get']),
  rule('', ['podtemplates'], ['get']),
  rule('batch', ['jobs'], ['get']),
  rule('', ['resourcequotas'], ['list']),
  rule('policy', ['poddisruptionbudgets'], LOOK),
  rule('scheduling.k8s.io', ['priorityclasses'], LOOK),
  rule('storage.k8s.io', ['volumeattachments', 'storageclasses', 'csinodes'], LOOK),
  // Only while claims of devices are honoured.
  rule(
    'resource.k8s.io',
    ['resourceslices', 'deviceclasses', 'resourceclaims', 'resourceclaimtemplates'],
    ['list'],
  ),
  rule('karpenter.sh', ['nodepools', 'nodeclaims'], LOOK),
  rule('karpenter.k8s.aws', ['ec2nodeclasses'], LOOK),
  rule('karpenter.sh', ['nodeoverlays'], ['get', 'list']),
  rule('autoscaling.x-k8s.io', ['capacitybuffers'], ['get', 'list']),
  // Nodes are told where pods ask for names.
  { ...rule('', ['services'], ['get']), resourceNames: ['kube-dns'] },
  // Pods that are spread by default are spread with the others of their Services.
  rule('', ['services'], ['list']),
  // Our owner lease, and Karpenter's in whatever namespace.
  rule('coordination.k8s.io', ['leases'], ['get', 'list']),
];

/** What is done to the cluster, and no more. */
const WRITES: readonly Rule[] = [
  // Labels, taints and the finalizer go by a patch; a drained node is deleted.
  rule('', ['nodes'], ['patch', 'delete']),
  rule('', ['pods/eviction'], ['create']),
  // Past its budget, when a drain's deadline has come.
  rule('', ['pods'], ['delete']),
  // An apply that finds nothing creates.
  rule('karpenter.sh', ['nodeclaims'], ['create', 'patch', 'delete']),
  // Finalizers, and hashes of what they say.
  rule('karpenter.sh', ['nodepools'], ['patch']),
  rule('karpenter.k8s.aws', ['ec2nodeclasses'], ['patch']),
  rule('karpenter.sh', ['nodeclaims/status', 'nodepools/status'], ['patch']),
  rule('karpenter.k8s.aws', ['ec2nodeclasses/status'], ['patch']),
  rule('karpenter.sh', ['nodeoverlays/status'], ['patch']),
  rule('autoscaling.x-k8s.io', ['capacitybuffers/status'], ['patch']),
  rule('events.k8s.io', ['events'], ['create']),
  // Who owns the cluster: RBAC cannot name what is still to be created.
  rule('coordination.k8s.io', ['leases'], ['create']),
  { ...rule('coordination.k8s.io', ['leases'], ['patch']), resourceNames: [OWNER_LEASE.name] },
];

/** Roles first: a binding to a role that is not there grants nothing until it is. */
export const RBAC: readonly Manifest[] = [
  clusterRole('mortise-reader', READS),
  clusterRole('mortise-controller', [...READS, ...WRITES]),
  clusterRoleBinding('mortise-reader', READER_GROUP),
  clusterRoleBinding('mortise-controller', CONTROLLER_GROUP),
];

function clusterRole(name: string, rules: readonly Rule[]): Manifest {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, labels: OURS },
    rules,
  };
}

/** The role and the binding have one name. */
function clusterRoleBinding(name: string, group: string): Manifest {
  const apiGroup = 'rbac.authorization.k8s.io';
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name, labels: OURS },
    roleRef: { apiGroup, kind: 'ClusterRole', name },
    subjects: [{ apiGroup, kind: 'Group', name: group }],
  };
}
