import { ZONE_LABEL } from '../../shared/model/labels.ts';
import type { NodeSelectorTerm } from '../../shared/model/pods/pod.ts';
import type { Storage, StorageClass, Volume, VolumeClaim } from '../../shared/model/pods/storage.ts';

export const EBS = 'ebs.csi.aws.com';

/** A term for nodes of these zones. */
export const inZones = (...values: readonly string[]): NodeSelectorTerm => [
  { key: ZONE_LABEL, operator: 'In', values },
];

export const aStorage = (over: Partial<Storage> = {}): Storage => ({
  claims: [],
  volumes: [],
  classes: [],
  drivers: [],
  ...over,
});

/** A claim of class `gp3` that is not bound yet. */
export const aVolumeClaim = (over: Partial<VolumeClaim> = {}): VolumeClaim => ({
  namespace: 'default',
  name: 'data',
  storageClass: 'gp3',
  bound: false,
  lost: false,
  deleting: false,
  ...over,
});

/** A claim that is bound to its volume. */
export const aBoundClaim = (name: string, volume: string, over: Partial<VolumeClaim> = {}): VolumeClaim =>
  aVolumeClaim({ name, volume, bound: true, ...over });

export const aVolume = (name: string, over: Partial<Volume> = {}): Volume => ({
  name,
  driver: EBS,
  onHost: false,
  nodeTerms: [],
  deleting: false,
  ...over,
});

export const aStorageClass = (over: Partial<StorageClass> = {}): StorageClass => ({
  name: 'gp3',
  driver: EBS,
  waitsForPod: true,
  nodeTerms: [],
  isDefault: false,
  createdAt: 0,
  ...over,
});
