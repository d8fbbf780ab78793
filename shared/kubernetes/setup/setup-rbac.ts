import { CRDS } from '../../api/custom-resources/crds.ts';
import type { NamedObject } from '../client/json.ts';
import { FLOW_SCHEMAS } from './flow-schemas.ts';
import { HOOKS_NAME } from './hooks.ts';
import { SETUP_GROUPS } from './manifest.ts';
import {
  BINDINGS,
  type BindingManifest,
  clusterRole,
  clusterRoleBinding,
  type PolicyRule,
  ROLES,
  type RoleManifest,
  roleOf,
} from './rbac.ts';

const RBAC = 'rbac.authorization.k8s.io';
const SETUP_ROLE_NAME = roleOf(SETUP_GROUPS.clusterSetup);
const CONTROL_ROLE_NAME = roleOf(SETUP_GROUPS.webhookControl);

const isClusterWide = ({ kind }: NamedObject): boolean => kind === 'ClusterRoleBinding';
const nameOf = ({ metadata }: Pick<NamedObject, 'metadata'>): string => metadata.name;
const ROLE_NAMES = ROLES.map(nameOf);
const CLUSTER_BINDING_NAMES = BINDINGS.filter(isClusterWide).map(nameOf);
const NAMESPACED_BINDING_NAMES = BINDINGS.filter((one) => !isClusterWide(one)).map(nameOf);
const SETUP_ROLE_NAMES = [SETUP_ROLE_NAME, CONTROL_ROLE_NAME];

/**
 * Rights on objects of these names only. They include `create`: a server-side apply names the
 * object that it creates, so RBAC can restrict it by name.
 */
const named = (
  group: string,
  resource: string,
  resourceNames: readonly string[],
  verbs: readonly string[],
): PolicyRule => ({ apiGroups: [group], resources: [resource], verbs, resourceNames });

const anyOf = (group: string, resource: string, verbs: readonly string[]): PolicyRule => ({
  apiGroups: [group],
  resources: [resource],
  verbs,
});

const ADMISSION = 'admissionregistration.k8s.io';
const HOOK_RULES: readonly PolicyRule[] = [
  named(ADMISSION, 'validatingwebhookconfigurations', [HOOKS_NAME], ['get', 'create', 'patch', 'delete']),
  // EKS counts the calls of all webhooks together, so we must know whether there are others.
  anyOf(ADMISSION, 'validatingwebhookconfigurations', ['list']),
];

/** A removal frees nodes, claims and classes of our finalizers, unless Karpenter is alive. */
const REMOVAL_RULES: readonly PolicyRule[] = [
  anyOf('', 'nodes', ['get', 'list', 'patch']),
  anyOf('karpenter.sh', 'nodeclaims', ['get', 'list', 'patch']),
  anyOf('karpenter.k8s.aws', 'ec2nodeclasses', ['get', 'list', 'patch']),
  anyOf('coordination.k8s.io', 'leases', ['get', 'list']),
];

/**
 * The rights of the set-up after it has installed us. It may write the rules of our roles, but bind
 * none of them and not change its own, so that it cannot give itself a right. Only the access
 * policy that a deployment associates for its duration allows that.
 */
const SETUP_RULES: readonly PolicyRule[] = [
  named('apiextensions.k8s.io', 'customresourcedefinitions', CRDS.map(nameOf), ['get', 'create', 'patch']),
  named(RBAC, 'clusterroles', ROLE_NAMES, ['get', 'create', 'patch', 'delete', 'escalate']),
  named(RBAC, 'clusterroles', SETUP_ROLE_NAMES, ['get', 'delete']),
  named(RBAC, 'clusterrolebindings', [...CLUSTER_BINDING_NAMES, ...SETUP_ROLE_NAMES], ['get', 'delete']),
  named(RBAC, 'rolebindings', NAMESPACED_BINDING_NAMES, ['get', 'delete']),
  named('flowcontrol.apiserver.k8s.io', 'flowschemas', FLOW_SCHEMAS.map(nameOf), ['get', 'create', 'patch', 'delete']),
  ...HOOK_RULES,
  ...REMOVAL_RULES,
];

/**
 * The rights of the function that places and withdraws webhooks. It may bind our roles, but write
 * the rules of none, and not bind the role of the set-up.
 */
const CONTROL_RULES: readonly PolicyRule[] = [
  ...HOOK_RULES,
  named(RBAC, 'clusterroles', ROLE_NAMES, ['bind']),
  named(RBAC, 'clusterrolebindings', CLUSTER_BINDING_NAMES, ['get', 'create', 'patch']),
  named(RBAC, 'rolebindings', NAMESPACED_BINDING_NAMES, ['get', 'create', 'patch']),
  // The probe: RBAC cannot restrict a create with a generated name.
  anyOf('events.k8s.io', 'events', ['create']),
];

export const SETUP_ROLE: RoleManifest = clusterRole(SETUP_ROLE_NAME, SETUP_RULES);
export const CONTROL_ROLE: RoleManifest = clusterRole(CONTROL_ROLE_NAME, CONTROL_RULES);
export const CONTROL_BINDING: BindingManifest = clusterRoleBinding(CONTROL_ROLE_NAME, SETUP_GROUPS.webhookControl);

/**
 * The binding belongs to its role: the removal deletes the role as its last right, and the garbage
 * collector of Kubernetes then deletes the binding.
 */
export function setupBinding(roleUid: string): BindingManifest {
  const binding = clusterRoleBinding(SETUP_ROLE_NAME, SETUP_GROUPS.clusterSetup);
  const { apiVersion, kind, metadata } = SETUP_ROLE;
  const owner = { apiVersion, kind, name: metadata.name, uid: roleUid };
  return { ...binding, metadata: { ...binding.metadata, ownerReferences: [owner] } };
}
