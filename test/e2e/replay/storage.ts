import * as z from 'zod';
import type { Situation } from '../../vectors/case-schema.ts';
import type { ObjectManifest } from './manifests.ts';

type WrittenObject = Situation['persistentVolumeClaims'][number];

const STORAGE_CLASSES_PATH = '/apis/storage.k8s.io/v1/storageclasses';
const CSI_NODES_PATH = '/apis/storage.k8s.io/v1/csinodes';
const VOLUMES_PATH = '/api/v1/persistentvolumes';
export const CLAIMS_PATH = '/api/v1/persistentvolumeclaims';
export const claimsPathOf = (namespace: string): string => `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;

/** Collections of cluster-scoped storage objects. */
export const STORAGE_PATHS: readonly string[] = [STORAGE_CLASSES_PATH, CSI_NODES_PATH, VOLUMES_PATH];

/** Annotation with the node for which kube-scheduler wants a volume provisioned. */
const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
/** Annotation that tells kube-scheduler that the claim is bound. */
const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';

/** Storage classes, volumes, claims and CSI nodes of the case. */
export const listStorageManifests = (vector: Situation): ObjectManifest[] => [
  ...vector.storageClasses.map((one) => manifest(STORAGE_CLASSES_PATH, one)),
  ...vector.csiNodes.map((one) => manifest(CSI_NODES_PATH, one)),
  ...vector.persistentVolumes.map((one) => manifest(VOLUMES_PATH, one)),
  ...vector.persistentVolumeClaims.map((one) => manifest(claimsPathOf(one.metadata.namespace), one)),
];

const manifest = (path: string, { metadata, ...object }: WrittenObject): ObjectManifest => {
  const { name, labels, annotations } = metadata;
  return { path, body: { ...object, metadata: { name, labels, annotations } } };
};

/** The objects that a provisioner writes for a claim. */
export interface Provisioning {
  readonly volume: ObjectManifest;
  /** The API path of the claim, and the claim as it is after provisioning. */
  readonly claim: ObjectManifest;
}

/**
 * Provisions a volume for a claim whose pod has been assigned a node; undefined for any other
 * claim.
 */
export function provisionVolume(claim: unknown): Provisioning | undefined {
  const { metadata, spec, ...otherFields } = claimSchema.parse(claim);
  if (metadata.annotations[SELECTED_NODE] === undefined || spec.volumeName) return undefined;
  const { name, namespace } = metadata;
  const volume = `made-${namespace}-${name}`;
  return {
    volume: {
      path: VOLUMES_PATH,
      body: {
        metadata: { name: volume },
        spec: {
          capacity: { storage: '1Ti' },
          accessModes: ['ReadWriteOnce'],
          claimRef: { kind: 'PersistentVolumeClaim', namespace, name },
          csi: { driver: 'replay.mortise.sh', volumeHandle: volume },
          storageClassName: spec.storageClassName,
        },
      },
    },
    claim: {
      path: `${claimsPathOf(namespace)}/${name}`,
      body: {
        ...otherFields,
        metadata: {
          ...metadata,
          annotations: { ...metadata.annotations, [BIND_COMPLETED]: 'yes' },
        },
        spec: { ...spec, volumeName: volume },
      },
    },
  };
}

const claimSchema = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string(),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
  spec: z.looseObject({
    volumeName: z.string().optional(),
    storageClassName: z.string().optional(),
  }),
});
