import type {
  RbacV1Subject,
  V1ClusterRole,
  V1ClusterRoleBinding,
  V1PolicyRule,
  V1RoleBinding,
  V1RoleRef,
} from '@kubernetes/client-node';
import type { Json, Manifest } from '../client/json.ts';
import { OWNER_LEASE } from '../kubernetes-ownership.ts';
import { CONTROLLER_GROUP, FUNCTION_GROUPS, type FunctionGroup, OWNERSHIP_LABELS, READER_GROUP } from './manifest.ts';

export type PolicyRule = Json<V1PolicyRule>;

const API_GROUP = 'rbac.authorization.k8s.io';

const READ_VERBS = ['get', 'list', 'watch'] as const;

const toRule = (group: string, resources: readonly string[], verbs: readonly string[]): PolicyRule => ({
  apiGroups: [group],
  resources,
  verbs,
});

/** Rights to read what decisions and commands such as `plan` and `explain` need. */
const READ_RULES: readonly PolicyRule[] = [
  toRule('', ['pods', 'nodes', 'namespaces', 'persistentvolumes', 'persistentvolumeclaims'], READ_VERBS),
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
  toRule('resource.k8s.io', ['resourceslices', 'deviceclasses', 'resourceclaims', 'resourceclaimtemplates'], ['list']),
  toRule('karpenter.sh', ['nodepools', 'nodeclaims'], READ_VERBS),
  toRule('karpenter.k8s.aws', ['ec2nodeclasses'], READ_VERBS),
  toRule('karpenter.sh', ['nodeoverlays'], READ_VERBS),
  toRule('autoscaling.x-k8s.io', ['capacitybuffers'], READ_VERBS),
  // User data contains the address of the cluster's DNS.
  { ...toRule('', ['services'], ['get']), resourceNames: ['kube-dns'] },
  // Default topology spread counts pods of the same Service.
  toRule('', ['services'], ['list']),
  // Our owner lease, and Karpenter's in any namespace.
  toRule('coordination.k8s.io', ['leases'], ['get', 'list']),
];

/**
 * Our lease, which each controller checks before it writes. RBAC cannot restrict a create by name, so
 * these rights hold in the namespace of the lease only.
 */
export const LEASE_RULES: readonly PolicyRule[] = [
  toRule('coordination.k8s.io', ['leases'], ['create']),
  { ...toRule('coordination.k8s.io', ['leases'], ['patch']), resourceNames: [OWNER_LEASE.name] },
];

const EVENT_RULES: readonly PolicyRule[] = [toRule('events.k8s.io', ['events'], ['create'])];

const CLAIM_RULES: readonly PolicyRule[] = [
  // An apply of a missing object needs the right to create.
  toRule('karpenter.sh', ['nodeclaims'], ['create', 'patch', 'delete']),
  toRule('karpenter.sh', ['nodeclaims/status'], ['patch']),
];

/** Labels, taints and the finalizer. */
const CHANGE_NODES = toRule('', ['nodes'], ['patch']);
/** A drained node is deleted, and a Node without an instance. */
const DELETE_NODES = toRule('', ['nodes'], ['delete']);

/**
 * Disruption asks whether NodeLifecycle may restart a Deployment, a right that only users give. The
 * controller asks the same about itself, which every identity may.
 */
const REVIEW_RIGHTS = toRule('authorization.k8s.io', ['subjectaccessreviews'], ['create']);

const DRAIN_RULES: readonly PolicyRule[] = [
  toRule('', ['pods/eviction'], ['create']),
  // When the deadline of a drain has passed, pods are deleted past their budget.
  toRule('', ['pods'], ['delete']),
];

const POOL_RULES: readonly PolicyRule[] = [
  // Finalizers and hash annotations.
  toRule('karpenter.sh', ['nodepools'], ['patch']),
  toRule('karpenter.sh', ['nodepools/status'], ['patch']),
];

const EXTENSION_RULES: readonly PolicyRule[] = [
  toRule('karpenter.sh', ['nodeoverlays/status'], ['patch']),
  toRule('autoscaling.x-k8s.io', ['capacitybuffers/status'], ['patch']),
];

const NODE_CLASS_RULES: readonly PolicyRule[] = [
  // Finalizers and hash annotations.
  toRule('karpenter.k8s.aws', ['ec2nodeclasses'], ['patch']),
  toRule('karpenter.k8s.aws', ['ec2nodeclasses/status'], ['patch']),
];

/** The permissions of each function, limited to what its controllers write. */
const FUNCTION_RULES: Readonly<Record<FunctionGroup, readonly PolicyRule[]>> = {
  'mortise:provisioning': [...READ_RULES, ...EVENT_RULES, ...CLAIM_RULES, ...POOL_RULES],
  'mortise:node-lifecycle': [...READ_RULES, ...EVENT_RULES, ...CLAIM_RULES, CHANGE_NODES, DELETE_NODES, ...DRAIN_RULES],
  'mortise:disruption': [
    ...READ_RULES,
    ...EVENT_RULES,
    ...CLAIM_RULES,
    CHANGE_NODES,
    REVIEW_RIGHTS,
    // The progress of rollouts.
    ...POOL_RULES,
    ...EXTENSION_RULES,
  ],
  'mortise:interruption': [...READ_RULES, ...EVENT_RULES, ...CLAIM_RULES],
  'mortise:sweep': [
    ...READ_RULES,
    ...EVENT_RULES,
    ...CLAIM_RULES,
    CHANGE_NODES,
    DELETE_NODES,
    ...POOL_RULES,
    ...EXTENSION_RULES,
  ],
  'mortise:node-class': [...READ_RULES, ...EVENT_RULES, ...NODE_CLASS_RULES],
  'mortise:poll': [toRule('', ['pods'], READ_VERBS)],
};

const CONTROLLER_RULES: readonly PolicyRule[] = [
  ...READ_RULES,
  ...EVENT_RULES,
  ...CLAIM_RULES,
  CHANGE_NODES,
  DELETE_NODES,
  ...DRAIN_RULES,
  ...POOL_RULES,
  ...EXTENSION_RULES,
  ...NODE_CLASS_RULES,
];

/** The role of a group: `mortise-sweep` for `mortise:sweep`. */
export const roleOf = (group: string): string => group.replace(':', '-');

/** The groups whose members act for the owner of the cluster. */
const OWNER_GROUPS: readonly string[] = [
  CONTROLLER_GROUP,
  ...FUNCTION_GROUPS.filter((group) => group !== 'mortise:poll'),
];

const RULES_BY_GROUP: readonly (readonly [group: string, rules: readonly PolicyRule[]])[] = [
  [READER_GROUP, READ_RULES],
  [CONTROLLER_GROUP, CONTROLLER_RULES],
  ...FUNCTION_GROUPS.map((group) => [group, FUNCTION_RULES[group]] as const),
];

/** A ClusterRole with rules. */
export type RoleManifest = Manifest<V1ClusterRole> & { readonly rules: readonly PolicyRule[] };
export type BindingManifest = Manifest<V1ClusterRoleBinding | V1RoleBinding>;

/** Bound in the namespace of the lease. */
export const LEASE_ROLE: RoleManifest = clusterRole('mortise-owner-lease', LEASE_RULES);
export const LEASE_BINDING: BindingManifest = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: {
    name: LEASE_ROLE.metadata.name,
    namespace: OWNER_LEASE.namespace,
    labels: OWNERSHIP_LABELS,
  },
  roleRef: toRoleRef(LEASE_ROLE.metadata.name),
  subjects: OWNER_GROUPS.map(toSubject),
};

export const ROLES: readonly RoleManifest[] = [
  ...RULES_BY_GROUP.map(([group, rules]) => clusterRole(roleOf(group), rules)),
  LEASE_ROLE,
];
export const BINDINGS: readonly BindingManifest[] = [
  ...RULES_BY_GROUP.map(([group]) => clusterRoleBinding(roleOf(group), group)),
  LEASE_BINDING,
];

export function clusterRole(name: string, rules: readonly PolicyRule[]): RoleManifest {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, labels: OWNERSHIP_LABELS },
    rules,
  };
}

/** The role and the binding have the same name. */
export function clusterRoleBinding(name: string, group: string): BindingManifest {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name, labels: OWNERSHIP_LABELS },
    roleRef: toRoleRef(name),
    subjects: [toSubject(group)],
  };
}

function toRoleRef(name: string): Json<V1RoleRef> {
  return { apiGroup: API_GROUP, kind: 'ClusterRole', name };
}

function toSubject(name: string): Json<RbacV1Subject> {
  return { apiGroup: API_GROUP, kind: 'Group', name };
}
