import { fnv1a64 } from '../../model/hash.ts';
import { ZONE_LABEL } from '../../model/labels.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeSelectorTerm, Pod } from '../../model/pods/pod.ts';
import {
  driverOf,
  type Storage,
  type StorageClass,
  toClaimKey,
  type Volume,
  type VolumeClaim,
} from '../../model/pods/storage.ts';
import { matchesLabels, toRequirements } from '../../model/requirements/requirements.ts';

/** PersistentVolumeClaims, their volumes and classes. */
export interface StorageStore {
  /** The same object until something changes; `undefined` if the storage of the cluster is unknown. */
  current(): Storage | undefined;
  findClaim(namespace: string, name: string): VolumeClaim | undefined;
  /** Nodes that reach the volume of the claim, or where it can be made; `undefined` if pods wait. */
  findNodeTerms(claim: VolumeClaim | undefined): readonly NodeSelectorTerm[] | undefined;
  /** Adds the claim unless one has its name. */
  createClaim(claim: Pick<VolumeClaim, 'namespace' | 'name' | 'storageClass' | 'oncePod'>): void;
  /** Makes the volumes that waited for the pod, where its node is. Returns true if there were any. */
  provision(pod: Pod, node: Node): boolean;
}

/**
 * @param zones - where volumes can be made that do not wait for a pod
 */
export function createStorageStore(initial: Storage | undefined, zones: readonly string[]): StorageStore {
  let storage = initial;
  const claims = new Map((initial?.claims ?? []).map((one) => [toClaimKey(one), one]));
  const volumes = new Map((initial?.volumes ?? []).map((one) => [one.name, one]));
  const classes = new Map((initial?.classes ?? []).map((one) => [one.name, one]));
  const defaultClass = initial?.classes.find(({ isDefault }) => isDefault);

  const findClass = ({ storageClass }: Pick<VolumeClaim, 'storageClass'>) =>
    storageClass === undefined ? defaultClass : classes.get(storageClass);

  function publish(): void {
    if (!storage) return;
    storage = { ...storage, claims: [...claims.values()], volumes: [...volumes.values()] };
  }

  function bind(claim: VolumeClaim, { driver }: StorageClass, nodeTerms: Volume['nodeTerms']): void {
    const name = `pvc-${fnv1a64(toClaimKey(claim))}`;
    volumes.set(name, { name, driver, onHost: false, nodeTerms, deleting: false });
    claims.set(toClaimKey(claim), { ...claim, volume: name, bound: true });
  }

  /** The driver makes volumes of classes that do not wait for a pod in any of the allowed zones. */
  function bindAtOnce(claim: VolumeClaim): void {
    const storageClass = findClass(claim);
    if (claim.volume !== undefined || !storageClass || storageClass.waitsForPod) return;
    const allowed = zones.filter((zone) => matchesTerms(storageClass.nodeTerms, { [ZONE_LABEL]: zone }));
    const zone = allowed[Number.parseInt(fnv1a64(toClaimKey(claim)).slice(-6), 16) % allowed.length];
    if (zone !== undefined) bind(claim, storageClass, toNodeTerms(storageClass, { [ZONE_LABEL]: zone }));
  }

  for (const claim of [...claims.values()]) bindAtOnce(claim);
  publish();

  return {
    current: () => storage,
    findClaim: (namespace, name) => claims.get(toClaimKey({ namespace, name })),
    findNodeTerms(claim) {
      if (claim?.volume !== undefined) return volumes.get(claim.volume)?.nodeTerms;
      const storageClass = claim && findClass(claim);
      return storageClass?.waitsForPod ? storageClass.nodeTerms : undefined;
    },
    createClaim(identity) {
      if (!storage || claims.has(toClaimKey(identity))) return;
      const claim = { ...identity, bound: false, lost: false, deleting: false };
      claims.set(toClaimKey(claim), claim);
      bindAtOnce(claim);
      publish();
    },
    provision({ namespace, spec }, { labels }) {
      const unbound = spec.volumeClaims.flatMap((name) => {
        const claim = claims.get(toClaimKey({ namespace, name }));
        const storageClass = claim && findClass(claim);
        return claim && claim.volume === undefined && storageClass ? [{ claim, storageClass }] : [];
      });
      for (const { claim, storageClass } of unbound) {
        bind(claim, storageClass, toNodeTerms(storageClass, labels));
      }
      if (unbound.length > 0) publish();
      return unbound.length > 0;
    },
  };
}

/** Volumes of EBS are in one zone; others are as far as their class allows. */
function toNodeTerms({ driver, nodeTerms }: StorageClass, labels: Node['labels']): readonly NodeSelectorTerm[] {
  const zone = labels[ZONE_LABEL];
  if (ZONAL_DRIVERS.has(driver) && zone !== undefined) {
    return [[{ key: ZONE_LABEL, operator: 'In', values: [zone] }]];
  }
  return nodeTerms.filter((term) => matchesLabels(toRequirements(term), labels));
}

const ZONAL_DRIVERS: ReadonlySet<string> = new Set([driverOf('kubernetes.io/aws-ebs')]);

/** No terms match every node. */
export const matchesTerms = (terms: readonly NodeSelectorTerm[], labels: Node['labels']): boolean =>
  terms.length === 0 || terms.some((term) => matchesLabels(toRequirements(term), labels));
