/** A kind of object and where the API server serves it. */
export interface ApiResource {
  readonly kind: string;
  /** The plural name of RBAC and URLs. */
  readonly name: string;
  /** `/api/v1` or `/apis/<group>/<version>`. */
  readonly root: string;
}

const KARPENTER = '/apis/karpenter.sh/v1';

export const PODS: ApiResource = { kind: 'Pod', name: 'pods', root: '/api/v1' };
export const NODES: ApiResource = { kind: 'Node', name: 'nodes', root: '/api/v1' };
export const NAMESPACES: ApiResource = { kind: 'Namespace', name: 'namespaces', root: '/api/v1' };
export const DAEMON_SETS: ApiResource = {
  kind: 'DaemonSet',
  name: 'daemonsets',
  root: '/apis/apps/v1',
};
export const POD_DISRUPTION_BUDGETS: ApiResource = {
  kind: 'PodDisruptionBudget',
  name: 'poddisruptionbudgets',
  root: '/apis/policy/v1',
};
export const PRIORITY_CLASSES: ApiResource = {
  kind: 'PriorityClass',
  name: 'priorityclasses',
  root: '/apis/scheduling.k8s.io/v1',
};
export const NODE_POOLS: ApiResource = { kind: 'NodePool', name: 'nodepools', root: KARPENTER };
export const NODE_CLAIMS: ApiResource = { kind: 'NodeClaim', name: 'nodeclaims', root: KARPENTER };
export const EC2_NODE_CLASSES: ApiResource = {
  kind: 'EC2NodeClass',
  name: 'ec2nodeclasses',
  root: '/apis/karpenter.k8s.aws/v1',
};

export const NODE_OVERLAYS: ApiResource = {
  kind: 'NodeOverlay',
  name: 'nodeoverlays',
  root: '/apis/karpenter.sh/v1alpha1',
};
export const CAPACITY_BUFFERS: ApiResource = {
  kind: 'CapacityBuffer',
  name: 'capacitybuffers',
  root: '/apis/autoscaling.x-k8s.io/v1beta1',
};
export const POD_TEMPLATES: ApiResource = {
  kind: 'PodTemplate',
  name: 'podtemplates',
  root: '/api/v1',
};
export const DEPLOYMENTS: ApiResource = {
  kind: 'Deployment',
  name: 'deployments',
  root: '/apis/apps/v1',
};
export const REPLICA_SETS: ApiResource = {
  kind: 'ReplicaSet',
  name: 'replicasets',
  root: '/apis/apps/v1',
};
export const STATEFUL_SETS: ApiResource = {
  kind: 'StatefulSet',
  name: 'statefulsets',
  root: '/apis/apps/v1',
};
export const JOBS: ApiResource = { kind: 'Job', name: 'jobs', root: '/apis/batch/v1' };
export const SERVICES: ApiResource = { kind: 'Service', name: 'services', root: '/api/v1' };
export const RESOURCE_QUOTAS: ApiResource = {
  kind: 'ResourceQuota',
  name: 'resourcequotas',
  root: '/api/v1',
};

export const EVENTS: ApiResource = {
  kind: 'Event',
  name: 'events',
  root: '/apis/events.k8s.io/v1',
};
export const VOLUMES: ApiResource = {
  kind: 'PersistentVolume',
  name: 'persistentvolumes',
  root: '/api/v1',
};
export const VOLUME_CLAIMS: ApiResource = {
  kind: 'PersistentVolumeClaim',
  name: 'persistentvolumeclaims',
  root: '/api/v1',
};
export const STORAGE_CLASSES: ApiResource = {
  kind: 'StorageClass',
  name: 'storageclasses',
  root: '/apis/storage.k8s.io/v1',
};
export const CSI_NODES: ApiResource = {
  kind: 'CSINode',
  name: 'csinodes',
  root: '/apis/storage.k8s.io/v1',
};
export const VOLUME_ATTACHMENTS: ApiResource = {
  kind: 'VolumeAttachment',
  name: 'volumeattachments',
  root: '/apis/storage.k8s.io/v1',
};

/** The kinds of dynamic resource allocation in one version of the API. */
export interface DeviceResources {
  readonly slices: ApiResource;
  readonly classes: ApiResource;
  readonly claims: ApiResource;
  readonly templates: ApiResource;
}

/** All versions that we read, newest first. */
export const DEVICE_RESOURCES: readonly DeviceResources[] = ['v1', 'v1beta2', 'v1beta1'].map((version) => {
  const root = `/apis/resource.k8s.io/${version}`;
  return {
    slices: { kind: 'ResourceSlice', name: 'resourceslices', root },
    classes: { kind: 'DeviceClass', name: 'deviceclasses', root },
    claims: { kind: 'ResourceClaim', name: 'resourceclaims', root },
    templates: { kind: 'ResourceClaimTemplate', name: 'resourceclaimtemplates', root },
  };
});

export const LEASES: ApiResource = {
  kind: 'Lease',
  name: 'leases',
  root: '/apis/coordination.k8s.io/v1',
};

interface ObjectName {
  readonly namespace?: string;
  readonly name: string;
}

/** The path of all objects of a kind, or of those in one namespace. */
export const collectionPath = ({ root, name }: ApiResource, namespace?: string): string =>
  namespace === undefined ? `${root}/${name}` : `${root}/namespaces/${encodeSegment(namespace)}/${name}`;

export const objectPath = (resource: ApiResource, { namespace, name }: ObjectName, subresource?: string): string =>
  [collectionPath(resource, namespace), encodeSegment(name), ...(subresource ? [subresource] : [])].join('/');

const encodeSegment = encodeURIComponent;
