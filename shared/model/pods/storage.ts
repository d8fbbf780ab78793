import type { EpochMs } from '../time.ts';
import type { NodeSelectorTerm } from './pod.ts';

/** The part of a PersistentVolumeClaim that decides where its pods can run. */
export interface VolumeClaim {
  readonly namespace: string;
  readonly name: string;
  /** The PersistentVolume that it is bound to or reserved for. */
  readonly volume?: string;
  /** Empty for no class; `undefined` for the default class. */
  readonly storageClass?: string;
  /** The binding is complete on both sides. */
  readonly bound: boolean;
  /** Its access mode is ReadWriteOncePod: one pod at a time may use it. */
  readonly oncePod?: true;
  /** Its volume is gone. */
  readonly lost: boolean;
  readonly deleting: boolean;
}

/** A key such as `shop/data-db-0`. */
export const toClaimKey = ({ namespace, name }: Pick<VolumeClaim, 'namespace' | 'name'>): string =>
  `${namespace}/${name}`;

/** A PersistentVolume. */
export interface Volume {
  readonly name: string;
  /** The CSI driver that attaches it; `undefined` if no attach limit applies. */
  readonly driver?: string;
  /** It is on the disk of one host (`local`, `hostPath`). */
  readonly onHost: boolean;
  /** Nodes that can reach it: any of these terms must hold; empty for every node. */
  readonly nodeTerms: readonly NodeSelectorTerm[];
  readonly deleting: boolean;
}

export interface StorageClass {
  readonly name: string;
  /** The CSI driver of its volumes. */
  readonly driver: string;
  /** WaitForFirstConsumer: a volume is created where its first pod is. */
  readonly waitsForPod: boolean;
  /** Where volumes may be created: any of these terms must hold; empty for anywhere. */
  readonly nodeTerms: readonly NodeSelectorTerm[];
  readonly isDefault: boolean;
  readonly createdAt: EpochMs;
}

/** The number of volumes that can be attached to a node, by CSI driver. */
export type AttachLimits = Readonly<Record<string, number>>;

/** A CSINode: the CSI drivers of a node. */
export interface NodeDrivers {
  /** The name of the Node. */
  readonly name: string;
  /** Drivers without a limit are left out. */
  readonly attachLimits: AttachLimits;
}

/** All objects that the placement of pods with volumes depends on. */
export interface Storage {
  readonly claims: readonly VolumeClaim[];
  readonly volumes: readonly Volume[];
  readonly classes: readonly StorageClass[];
  readonly drivers: readonly NodeDrivers[];
}

/**
 * CSI drivers by the in-tree plugin that they replace.
 *
 * @see kubernetes, csi-translation-lib
 */
const CSI_DRIVERS: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/aws-ebs', 'ebs.csi.aws.com'],
  ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'],
  ['kubernetes.io/azure-disk', 'disk.csi.azure.com'],
  ['kubernetes.io/azure-file', 'file.csi.azure.com'],
  ['kubernetes.io/cinder', 'cinder.csi.openstack.org'],
  ['kubernetes.io/vsphere-volume', 'csi.vsphere.vmware.com'],
  ['kubernetes.io/portworx-volume', 'pxd.portworx.com'],
]);

/** Returns the CSI driver of a provisioner. The provisioner of a CSI driver is its own name. */
export const driverOf = (provisioner: string): string => CSI_DRIVERS.get(provisioner) ?? provisioner;

/** A PersistentVolume that is attached to a Node. */
export interface AttachedVolume {
  /** The name of the VolumeAttachment. */
  readonly name: string;
  /** The PersistentVolumeClaim, `namespace/name`; `undefined` if there is none or it is unknown. */
  readonly claim?: string;
}
