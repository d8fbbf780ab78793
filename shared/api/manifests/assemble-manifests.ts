import type { Labels } from '../../model/labels.ts';
import { type Storage, toClaimKey, type VolumeClaim } from '../../model/pods/storage.ts';
import type { ClusterManifests, SkippedManifest } from './cluster-manifests.ts';
import type { Contribution } from './contribution.ts';
import { namespaceLabels } from './service.ts';

/** Combines the contributions of all objects, in the order of the objects. */
export function assembleManifests(
  contributions: readonly Contribution[],
  skipped: readonly SkippedManifest[],
): ClusterManifests {
  const workloads = contributions.flatMap((one) => (one.kind === 'workload' ? [one.workload] : []));
  const pods = contributions.flatMap((one) => (one.kind === 'pod' ? [one.pod] : []));
  const podDisruptionBudgets = contributions.flatMap((one) => (one.kind === 'podDisruptionBudget' ? [one.budget] : []));
  const services = contributions.flatMap((one) => (one.kind === 'service' ? [one.service] : []));
  const overlays = contributions.flatMap((one) => (one.kind === 'overlay' ? [one.overlay] : []));
  const buffers = contributions.flatMap((one) => (one.kind === 'buffer' ? [one.buffer] : []));
  const storage = assembleStorage(contributions);
  return {
    ...(storage && { storage }),
    ...(buffers.length > 0 && { buffers }),
    ...(services.length > 0 && { services }),
    ...(overlays.length > 0 && { overlays }),
    pools: contributions.flatMap((one) => (one.kind === 'pool' ? [one.pool] : [])),
    nodeClasses: contributions.flatMap((one) => (one.kind === 'nodeClass' ? [one.nodeClass] : [])),
    workloads,
    pods,
    podDisruptionBudgets,
    namespaces: assembleNamespaces([...workloads, ...pods, ...podDisruptionBudgets, ...buffers], contributions),
    skipped,
  };
}

/** Binds each claim that names a volume of the files, or that one of them is reserved for. */
function assembleStorage(contributions: readonly Contribution[]): Storage | undefined {
  const volumes = contributions.flatMap((one) => (one.kind === 'volume' ? [one] : []));
  const classes = contributions.flatMap((one) => (one.kind === 'storageClass' ? [one.storageClass] : []));
  const written = contributions.flatMap((one) => (one.kind === 'volumeClaim' ? [one.claim] : []));
  if (volumes.length + classes.length + written.length === 0) return undefined;
  const names = new Set(volumes.map(({ volume }) => volume.name));
  const reserved = new Map(
    volumes.flatMap(({ volume, reservedFor }) =>
      reservedFor ? [[toClaimKey(reservedFor), { ...reservedFor, volume: volume.name }]] : [],
    ),
  );
  const claims = written.map((claim): VolumeClaim => {
    const volume = claim.volume ?? reserved.get(toClaimKey(claim))?.volume;
    reserved.delete(toClaimKey(claim));
    if (volume === undefined) return claim;
    return { ...claim, volume, bound: names.has(volume) };
  });
  // The claim of such a volume exists in the cluster, or a StatefulSet creates it.
  const implied = [...reserved.values()].map(
    (one): VolumeClaim => ({ ...one, bound: true, lost: false, deleting: false }),
  );
  return {
    claims: [...claims, ...implied],
    volumes: volumes.map(({ volume }) => volume),
    classes,
    drivers: [],
  };
}

/** Namespaces need no manifest: every namespace that an object uses counts as existing. */
const assembleNamespaces = (
  inhabitants: readonly { readonly namespace: string }[],
  contributions: readonly Contribution[],
): Readonly<Record<string, Labels>> =>
  Object.fromEntries([
    ['default', namespaceLabels('default')],
    ...inhabitants.map(({ namespace }) => [namespace, namespaceLabels(namespace)] as const),
    ...contributions.flatMap((one) => (one.kind === 'namespace' ? [[one.name, one.labels] as const] : [])),
  ]);
