import { OWNER_LEASE } from '../kubernetes-ownership.ts';
import { CONTROLLER_GROUP, type Manifest, OWNERSHIP_LABELS, READER_GROUP } from './manifest.ts';

interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

const READ_VERBS = ['get', 'list', 'watch'] as const;

const toRule = (
  group: string,
  resources: readonly string[],
  verbs: readonly string[],
): PolicyRule => ({
  apiGroups: [group],
  resources,
  verbs,
});

/** Rights to read what decisions and commands such as `plan` and `explain` need. */
const READ_RULES: readonly PolicyRule[] = [
  toRule(
    '',
    ['pods', 'nodes', 'namespaces', 'persistentvolumes', 'persistentvolumeclaims'],
    READ_VERBS,
  ),
  toRule('apps', ['daemonsets'], READ_VERBS),
  // Owners tell how many pods are still missing, and quotas how many of them are allowed.
  toRule('apps', ['replicasets', 'statefulsets'], ['get']),
  // CapacityBuffers refer to pod templates of Deployments.
  toRule('apps', ['deployments'], ['get']),
  toRule('', ['podtemplates'], ['get']),
  toRule('batch', ['jobs'], ['get']),
  toRule('', ['resourcequotas'], ['list']),
  toRule('policy', ['poddisruptionbudgets'], READ_VERBS),
  toRule('scheduling.k8s.io', ['priorityclasses'], READ_VERBS),
  toRule('storage.k8s.io', ['volumeattachments', 'storageclasses', 'csinodes'], READ_VERBS),
  // Needed only while device claims are supported.
  toRule(
    'resource.k8s.io',
    ['resourceslices', 'deviceclasses', 'resourceclaims', 'resourceclaimtemplates'],
    ['list'],
  ),
  toRule('karpenter.sh', ['nodepools', 'nodeclaims'], READ_VERBS),
  toRule('karpenter.k8s.aws', ['ec2nodeclasses'], READ_VERBS),
  toRule('karpenter.sh', ['nodeoverlays'], ['get', 'list']),
  toRule('autoscaling.x-k8s.io', ['capacitybuffers'], ['get', 'list']),
  // User data contains the address of the cluster's DNS.
  { ...toRule('', ['services'], ['get']), resourceNames: ['kube-dns'] },
  // Default topology spread counts pods of the same Service.
  toRule('', ['services'], ['list']),
  // Our owner lease, and Karpenter's in any namespace.
  toRule('coordination.k8s.io', ['leases'], ['get', 'list']),
];

/** Rights to write, limited to what the controllers do. */
const WRITE_RULES: readonly PolicyRule[] = [
  // Labels, taints and the finalizer are patched; a drained node is deleted.
  toRule('', ['nodes'], ['patch', 'delete']),
  toRule('', ['pods/eviction'], ['create']),
  // When the deadline of a drain has passed, pods are deleted past their budget.
  toRule('', ['pods'], ['delete']),
  // An apply of a missing object needs the right to create.
  toRule('karpenter.sh', ['nodeclaims'], ['create', 'patch', 'delete']),
  // Finalizers and hash annotations.
  toRule('karpenter.sh', ['nodepools'], ['patch']),
  toRule('karpenter.k8s.aws', ['ec2nodeclasses'], ['patch']),
  toRule('karpenter.sh', ['nodeclaims/status', 'nodepools/status'], ['patch']),
  toRule('karpenter.k8s.aws', ['ec2nodeclasses/status'], ['patch']),
  toRule('karpenter.sh', ['nodeoverlays/status'], ['patch']),
  toRule('autoscaling.x-k8s.io', ['capacitybuffers/status'], ['patch']),
  toRule('events.k8s.io', ['events'], ['create']),
  // RBAC cannot restrict a create by name.
  toRule('coordination.k8s.io', ['leases'], ['create']),
  { ...toRule('coordination.k8s.io', ['leases'], ['patch']), resourceNames: [OWNER_LEASE.name] },
];

/** Roles come first: a binding to a missing role grants nothing until the role exists. */
export const RBAC: readonly Manifest[] = [
  clusterRole('mortise-reader', READ_RULES),
  clusterRole('mortise-controller', [...READ_RULES, ...WRITE_RULES]),
  clusterRoleBinding('mortise-reader', READER_GROUP),
  clusterRoleBinding('mortise-controller', CONTROLLER_GROUP),
];

function clusterRole(name: string, rules: readonly PolicyRule[]): Manifest {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, labels: OWNERSHIP_LABELS },
    rules,
  };
}

/** The role and the binding have the same name. */
function clusterRoleBinding(name: string, group: string): Manifest {
  const apiGroup = 'rbac.authorization.k8s.io';
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name, labels: OWNERSHIP_LABELS },
    roleRef: { apiGroup, kind: 'ClusterRole', name },
    subjects: [{ apiGroup, kind: 'Group', name: group }],
  };
}
