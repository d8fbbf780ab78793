import { HOSTNAME_LABEL } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { NodeSelectorTerm, Pod } from '../../model/pods/pod.ts';
import type { Storage, StorageClass, Volume, VolumeClaim } from '../../model/pods/storage.ts';

/**
 * A volume of a pod, by the name of its claim, or by its StorageClass if the claim does not exist
 * yet.
 */
export interface VolumeReference {
  readonly claim: string;
  /** A generic ephemeral volume: its claim is created after the pod. */
  readonly ephemeral?: { readonly storageClass?: string };
}

/** Where a volume is or can be provisioned, or why its pod has to wait. */
export type VolumeResolution =
  | { readonly outcome: 'waits'; readonly state: string }
  | {
      readonly outcome: 'found';
      readonly nodeTerms: readonly NodeSelectorTerm[];
      readonly driver?: string;
    };

/** The state of a claim that its pod names but that does not exist. */
export const CLAIM_NOT_FOUND = 'not found';

export interface StorageIndex {
  find(namespace: string, volume: VolumeReference): VolumeResolution;
}

// Volumes change far less often than plans are made.
const indexes = new WeakMap<Storage, StorageIndex>();

export function getStorageIndex(storage: Storage): StorageIndex {
  return getOrCreate(indexes, storage, () => buildIndex(storage));
}

/**
 * The driver of EKS Auto Mode runs only on Auto Mode nodes.
 *
 * @see Karpenter, AWS provider
 */
const FOREIGN_DRIVERS: ReadonlySet<string> = new Set(['ebs.csi.eks.amazonaws.com']);
const FOREIGN_KEYS: ReadonlySet<string> = new Set([
  'topology.ebs.csi.eks.amazonaws.com/zone',
  'eks.amazonaws.com/compute-type',
]);

function buildIndex(storage: Storage): StorageIndex {
  const claims = new Map(storage.claims.map((one) => [`${one.namespace}/${one.name}`, one]));
  const volumes = new Map(storage.volumes.map((one) => [one.name, one]));
  const classes = new Map(storage.classes.map((one) => [one.name, one]));
  const defaultClass = storage.classes
    .filter(({ isDefault }) => isDefault)
    .toSorted((a, b) => b.createdAt - a.createdAt || (a.name < b.name ? -1 : 1))[0];
  const findClass = (name: string | undefined): StorageClass | undefined =>
    name === undefined ? defaultClass : classes.get(name);
  const resolutions = new WeakMap<VolumeClaim, VolumeResolution>();

  const resolveByClass = (name: string | undefined): VolumeResolution => {
    const storageClass = name === '' ? undefined : findClass(name);
    return storageClass ? resolveStorageClass(storageClass) : { outcome: 'waits', state: describeMissingClass(name) };
  };
  const resolveClaim = (claim: VolumeClaim): VolumeResolution => {
    if (claim.deleting) return { outcome: 'waits', state: 'is being deleted' };
    if (claim.lost) return { outcome: 'waits', state: 'Lost: its volume is gone' };
    if (claim.volume === undefined) return resolveByClass(claim.storageClass);
    if (!claim.bound) return { outcome: 'waits', state: `is being bound to ${claim.volume}` };
    return resolveVolume(claim.volume, volumes.get(claim.volume));
  };

  return {
    find(namespace, { claim: name, ephemeral }) {
      const claim = claims.get(`${namespace}/${name}`);
      if (!claim) {
        return ephemeral ? resolveByClass(ephemeral.storageClass) : { outcome: 'waits', state: CLAIM_NOT_FOUND };
      }
      return getOrCreate(resolutions, claim, () => resolveClaim(claim));
    },
  };
}

const describeMissingClass = (name: string | undefined): string => {
  if (name === undefined) return 'names no StorageClass, and none is the default';
  return name === '' ? 'not bound, and wants no StorageClass' : `StorageClass ${name} not found`;
};

function resolveStorageClass(storageClass: StorageClass): VolumeResolution {
  const { name, driver, waitsForPod, nodeTerms } = storageClass;
  if (!waitsForPod) {
    return { outcome: 'waits', state: `not bound yet, as StorageClass ${name} does at once` };
  }
  const foreignKey = nodeTerms.flat().find(({ key }) => FOREIGN_KEYS.has(key));
  if (foreignKey) {
    return {
      outcome: 'waits',
      state: `StorageClass ${name} asks for ${foreignKey.key}: not our nodes`,
    };
  }
  return toResolution(driver, nodeTerms);
}

function resolveVolume(name: string, volume: Volume | undefined): VolumeResolution {
  if (!volume) return { outcome: 'waits', state: `PersistentVolume ${name} not found` };
  if (volume.deleting) return { outcome: 'waits', state: `volume ${name} is being deleted` };
  const { nodeTerms, onHost, driver } = volume;
  return toResolution(driver, onHost ? nodeTerms.map(withoutHost) : nodeTerms);
}

/**
 * Removes the hostname requirement of a local volume: the node may be gone for good, so its pod is
 * planned onto another node.
 */
const withoutHost = (term: NodeSelectorTerm): NodeSelectorTerm => term.filter(({ key }) => key !== HOSTNAME_LABEL);

const toResolution = (driver: string | undefined, nodeTerms: readonly NodeSelectorTerm[]): VolumeResolution =>
  driver !== undefined && FOREIGN_DRIVERS.has(driver)
    ? { outcome: 'waits', state: `driver ${driver} serves other nodes than ours` }
    : { outcome: 'found', nodeTerms, ...(driver !== undefined && { driver }) };

/** Lists the pod's volumes that have PersistentVolumeClaims. */
export const listVolumeReferences = ({ name, spec }: Pick<Pod, 'name' | 'spec'>): VolumeReference[] => [
  ...spec.volumeClaims.map((claim) => ({ claim })),
  ...(spec.ephemeralVolumes ?? []).map(({ name: volume, storageClass }) => ({
    claim: `${name}-${volume}`,
    ephemeral: storageClass === undefined ? {} : { storageClass },
  })),
];

export const hasVolumes = ({ spec }: Pick<Pod, 'spec'>): boolean =>
  spec.volumeClaims.length > 0 || spec.ephemeralVolumes !== undefined;
