import { driverOf, type Storage, toClaimKey } from '../../model/pods/storage.ts';
import type { Workload } from '../../model/pods/workload.ts';
import type { ClusterManifests } from './cluster-manifests.ts';

/** Storage objects that pods need and the files lack, because the cluster has them. */
export interface AssumedStorage {
  /** `undefined` if the pods have no volumes, and the files no storage objects. */
  readonly storage?: Storage;
  /** Claims that are taken as bound, in reach of every node: `shop/uploads`. */
  readonly claims: readonly string[];
  /** Volumes in reach of every node. */
  readonly volumes: readonly string[];
  /** StorageClasses whose volumes are made in the zone of their first pod; empty for the default. */
  readonly classes: readonly string[];
}

/**
 * Completes the storage of a simulated cluster. A kind of which the files have no object at all is
 * assumed to be in the cluster; if they have some, a missing one is missing: its pods wait.
 */
export function assumeStorage(manifests: ClusterManifests): AssumedStorage {
  const { storage: written = NO_STORAGE } = manifests;
  const missingClaims = isEmpty(written) ? listMissingClaims(manifests) : [];
  const missingVolumes = written.volumes.length === 0 ? listMissingVolumes(written) : [];
  const missingClasses = written.classes.length === 0 ? listMissingClasses(manifests) : [];
  const isUnused = missingClaims.length === 0 && !hasClaims(manifests);
  if (isEmpty(written) && isUnused) return { claims: [], volumes: [], classes: [] };
  const assumedVolumes = [...missingVolumes, ...missingClaims.map(toVolumeName)];
  return {
    claims: missingClaims,
    volumes: missingVolumes,
    classes: missingClasses,
    storage: {
      ...written,
      claims: [
        ...written.claims.map((claim) => ({
          ...claim,
          bound: claim.bound || missingVolumes.includes(claim.volume ?? ''),
        })),
        ...missingClaims.map((key) => {
          const [namespace = '', name = ''] = key.split('/');
          const volume = toVolumeName(key);
          return { namespace, name, volume, bound: true, lost: false, deleting: false };
        }),
      ],
      volumes: [
        ...written.volumes,
        ...assumedVolumes.map((name) => ({ name, onHost: false, nodeTerms: [], deleting: false })),
      ],
      classes: [
        ...written.classes,
        ...missingClasses.map((name) => ({
          name,
          driver: driverOf('kubernetes.io/aws-ebs'),
          waitsForPod: true,
          nodeTerms: [],
          isDefault: name === '',
          createdAt: 0,
        })),
      ],
    },
  };
}

const NO_STORAGE: Storage = { claims: [], volumes: [], classes: [], drivers: [] };

const isEmpty = ({ claims, volumes, classes }: Storage): boolean =>
  claims.length + volumes.length + classes.length === 0;

const toVolumeName = (claim: string): string => `volume of ${claim}`;

const hasClaims = ({ workloads }: ClusterManifests): boolean =>
  workloads.some((workload) => listClaimTemplates(workload).length > 0);

const listClaimTemplates = (workload: Workload) =>
  workload.kind === 'StatefulSet' ? (workload.volumeClaimTemplates ?? []) : [];

function listMissingClaims({ workloads, pods }: ClusterManifests): readonly string[] {
  const named = [
    ...pods.map(({ namespace, spec }) => ({ namespace, spec })),
    ...workloads.map(({ namespace, template }) => ({ namespace, spec: template.spec })),
  ].flatMap(({ namespace, spec }) => spec.volumeClaims.map((name) => toClaimKey({ namespace, name })));
  return [...new Set(named)];
}

const listMissingVolumes = ({ claims }: Storage): readonly string[] => [
  ...new Set(claims.flatMap(({ volume, lost }) => (volume === undefined || lost ? [] : [volume]))),
];

function listMissingClasses({ storage, workloads, pods }: ClusterManifests): readonly string[] {
  const unbound = (storage?.claims ?? []).filter(({ volume }) => volume === undefined);
  const specs = [...pods.map(({ spec }) => spec), ...workloads.map(({ template }) => template.spec)];
  const named = [
    ...unbound,
    ...workloads.flatMap(listClaimTemplates),
    ...specs.flatMap(({ ephemeralVolumes = [] }) => ephemeralVolumes),
  ].filter(({ storageClass }) => storageClass !== '');
  return [...new Set(named.map(({ storageClass = '' }) => storageClass))];
}
