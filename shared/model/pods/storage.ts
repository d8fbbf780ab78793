import type { EpochMs } from '../time.ts';
import type { NodeSelectorTerm } from './pod.ts';

/** A PersistentVolumeClaim, reduced to what says where its pods can run. */
export interface VolumeClaim {
  readonly namespace: string;
  readonly name: string;
  /** Name of the PersistentVolume that it has, or is promised. */
  readonly volume?: string;
  /** Empty: it wants none. Absent: whichever is the default. */
  readonly storageClass?: string;
  /** The binding is complete on both sides. */
  readonly bound: boolean;
  /** Its volume vanished. */
  readonly lost: boolean;
  readonly deleting: boolean;
}

/** A PersistentVolume. */
export interface Volume {
  readonly name: string;
  /** The CSI driver that attaches it; absent: nothing counts it. */
  readonly driver?: string;
  /** Lies on one host's disk (`local`, `hostPath`). */
  readonly onHost: boolean;
  /** Nodes that reach it: any one of these must hold; none at all means every node. */
  readonly nodeTerms: readonly NodeSelectorTerm[];
  readonly deleting: boolean;
}

export interface StorageClass {
  readonly name: string;
  /** The CSI driver of its volumes. */
  readonly driver: string;
  /** Volumes are made where the first pod is, rather than at once. */
  readonly waitsForPod: boolean;
  /** Where volumes may be made: any one of these; none at all means anywhere. */
  readonly nodeTerms: readonly NodeSelectorTerm[];
  readonly isDefault: boolean;
  readonly createdAt: EpochMs;
}

/** How many volumes a node can have attached, by CSI driver. */
export type AttachLimits = Readonly<Record<string, number>>;

/** A CSINode: what the drivers on a node say of it. */
export interface NodeDrivers {
  /** Of the Node. */
  readonly name: string;
  /** Drivers without a limit are left out. */
  readonly attachLimits: AttachLimits;
}

/** Everything that pods with volumes hang on. */
export interface Storage {
  readonly claims: readonly VolumeClaim[];
  readonly volumes: readonly Volume[];
  readonly classes: readonly StorageClass[];
  readonly drivers: readonly NodeDrivers[];
}

/** In-tree plugins hand their volumes to these drivers. @see kubernetes, csi-translation-lib */
const CSI_DRIVERS: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/aws-ebs', 'ebs.csi.aws.com'],
  ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'],
  ['kubernetes.io/azure-disk', 'disk.csi.azure.com'],
  ['kubernetes.io/azure-file', 'file.csi.azure.com'],
  ['kubernetes.io/cinder', 'cinder.csi.openstack.org'],
  ['kubernetes.io/vsphere-volume', 'csi.vsphere.vmware.com'],
  ['kubernetes.io/portworx-volume', 'pxd.portworx.com'],
]);

/** The driver behind a provisioner; a CSI driver's is its own name. */
export const driverOf = (provisioner: string): string =>
  CSI_DRIVERS.get(provisioner) ?? provisioner;

/** A PersistentVolume that is attached to a Node. */
export interface AttachedVolume {
  /** Of the VolumeAttachment. */
  readonly name: string;
  /** The PersistentVolumeClaim behind it, `namespace/name`; absent: none, or nobody knows. */
  readonly claim?: string;
}
