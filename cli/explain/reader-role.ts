import {
  type ApiResource,
  CAPACITY_BUFFERS,
  CSI_NODES,
  DAEMON_SETS,
  DEPLOYMENTS,
  DEVICE_RESOURCES,
  EC2_NODE_CLASSES,
  EVENTS,
  JOBS,
  LEASES,
  NAMESPACES,
  NODE_CLAIMS,
  NODE_OVERLAYS,
  NODE_POOLS,
  NODES,
  POD_DISRUPTION_BUDGETS,
  POD_TEMPLATES,
  PODS,
  PRIORITY_CLASSES,
  REPLICA_SETS,
  RESOURCE_QUOTAS,
  SERVICES,
  STATEFUL_SETS,
  STORAGE_CLASSES,
  VOLUME_ATTACHMENTS,
  VOLUME_CLAIMS,
  VOLUMES,
} from '../../shared/kubernetes/client/api-resources.ts';

const RESOURCES: readonly ApiResource[] = [
  ...[PODS, NODES, NAMESPACES, SERVICES, RESOURCE_QUOTAS, VOLUMES, VOLUME_CLAIMS, POD_TEMPLATES],
  ...[DAEMON_SETS, DEPLOYMENTS, REPLICA_SETS, STATEFUL_SETS, JOBS, POD_DISRUPTION_BUDGETS],
  ...[PRIORITY_CLASSES, STORAGE_CLASSES, CSI_NODES, VOLUME_ATTACHMENTS, LEASES, EVENTS],
  ...[NODE_POOLS, NODE_CLAIMS, NODE_OVERLAYS, EC2_NODE_CLASSES, CAPACITY_BUFFERS],
  ...DEVICE_RESOURCES.flatMap((kinds) => Object.values<ApiResource>({ ...kinds })),
];

const NAME = 'mortise-reader';

/** The rights that explanations and snapshots use: reads only. */
export function buildReaderRole() {
  const byGroup = Map.groupBy(RESOURCES, ({ root }) => groupOf(root));
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: NAME },
    rules: [...byGroup].map(([group, resources]) => ({
      apiGroups: [group],
      resources: [...new Set(resources.map(({ name }) => name))],
      verbs: ['get', 'list', 'watch'],
    })),
  };
}

/** `/apis/apps/v1` is of the group `apps`, `/api/v1` of the group without a name. */
const groupOf = (root: string): string => /^\/apis\/([^/]+)\//.exec(root)?.[1] ?? '';
