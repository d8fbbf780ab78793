/** A PersistentVolume that is attached to a Node. */
export interface AttachedVolume {
  /** Of the VolumeAttachment. */
  readonly name: string;
  /** The PersistentVolumeClaim behind it, `namespace/name`; absent: none, or nobody knows. */
  readonly claim?: string;
}
