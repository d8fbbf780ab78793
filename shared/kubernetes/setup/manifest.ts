import type { NamedObject } from '../client/json.ts';

export const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';
export const MANAGED_BY = 'mortise';

/** Labels that mark objects in the cluster as ours. */
export const OWNERSHIP_LABELS: Readonly<Record<string, string>> = {
  [MANAGED_BY_LABEL]: MANAGED_BY,
  'app.kubernetes.io/part-of': 'mortise',
};

/** The title in kubectl's style: `ClusterRole mortise-controller`. */
export const titleOf = ({ kind, metadata }: Pick<NamedObject, 'kind' | 'metadata'>): string =>
  `${kind} ${metadata.name}`;

/**
 * Kubernetes groups of the EKS access entries of our functions, one for each function; the RBAC
 * rules refer to them.
 */
export const FUNCTION_GROUPS = [
  'mortise:provisioning',
  'mortise:node-lifecycle',
  'mortise:disruption',
  'mortise:interruption',
  'mortise:sweep',
  'mortise:node-class',
  'mortise:poll',
] as const;
export type FunctionGroup = (typeof FUNCTION_GROUPS)[number];

/** The function that drains nodes. */
export const DRAIN_GROUP: FunctionGroup = 'mortise:node-lifecycle';

/** `mortise controller`, which does the work of all functions. */
export const CONTROLLER_GROUP = 'mortise:controller';
/** People and tools that only read. */
export const READER_GROUP = 'mortise:reader';

/** The function that sets the cluster up, and the one that places and withdraws the webhooks. */
export const SETUP_GROUPS = {
  clusterSetup: 'mortise:cluster-setup',
  webhookControl: 'mortise:webhook-control',
} as const;

/** Groups whose members write: their own changes must not trigger the webhooks. */
export const WRITING_GROUPS: readonly string[] = [CONTROLLER_GROUP, ...FUNCTION_GROUPS];
