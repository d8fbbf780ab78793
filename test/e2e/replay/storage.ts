import * as z from 'zod';
import type { Situation } from '../../vectors/case-schema.ts';
import type { Manifest } from './manifests.ts';

type Written = Situation['persistentVolumeClaims'][number];

const CLASSES = '/apis/storage.k8s.io/v1/storageclasses';
const DRIVERS = '/apis/storage.k8s.io/v1/csinodes';
const VOLUMES = '/api/v1/persistentvolumes';
export const CLAIMS = '/api/v1/persistentvolumeclaims';
export const claimsOf = (namespace: string): string =>
  `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;

/** What is in no namespace. */
export const STORAGE: readonly string[] = [CLASSES, DRIVERS, VOLUMES];

/** Where kube-scheduler writes the node that a volume is to be made for. */
const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
/** Both sides know of each other; nothing but this tells kube-scheduler. */
const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';

/** Classes, volumes, claims and what nodes can attach, as the case has them. */
export const storageManifests = (vector: Situation): Manifest[] => [
  ...vector.storageClasses.map((one) => manifest(CLASSES, one)),
  ...vector.csiNodes.map((one) => manifest(DRIVERS, one)),
  ...vector.persistentVolumes.map((one) => manifest(VOLUMES, one)),
  ...vector.persistentVolumeClaims.map((one) => manifest(claimsOf(one.metadata.namespace), one)),
];

const manifest = (path: string, { metadata, ...object }: Written): Manifest => {
  const { name, labels, annotations } = metadata;
  return { path, body: { ...object, metadata: { name, labels, annotations } } };
};

/** What a provisioner does about a claim. */
export interface Provisioning {
  readonly volume: Manifest;
  /** The claim's own path, and the claim as it is from now on. */
  readonly claim: Manifest;
}

/** A volume for a claim that a pod was given a node for; nothing for any other claim. */
export function provisioningOf(claim: unknown): Provisioning | undefined {
  const { metadata, spec, ...rest } = boundLater.parse(claim);
  if (metadata.annotations[SELECTED_NODE] === undefined || spec.volumeName) return undefined;
  const { name, namespace } = metadata;
  const volume = `made-${namespace}-${name}`;
  return {
    volume: {
      path: VOLUMES,
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
      path: `${claimsOf(namespace)}/${name}`,
      body: {
        ...rest,
        metadata: {
          ...metadata,
          annotations: { ...metadata.annotations, [BIND_COMPLETED]: 'yes' },
        },
        spec: { ...spec, volumeName: volume },
      },
    },
  };
}

const boundLater = z.looseObject({
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
