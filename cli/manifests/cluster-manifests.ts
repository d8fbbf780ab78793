import type { AssumedStorage } from '../../shared/api/manifests/assumed-storage.ts';
import type {
  ClusterManifests,
  ManifestProblem,
  SkipCause,
  SkippedManifest,
} from '../../shared/api/manifests/cluster-manifests.ts';
import { readManifests } from '../../shared/api/manifests/read-manifests.ts';
import { CliError, fail, type Problem } from '../errors.ts';
import type { Io } from '../terminal/io.ts';
import { formatInputPath, readManifestFiles } from './manifest-files.ts';

interface ReadOptions {
  readonly recursive: boolean;
  readonly io: Io;
}

/**
 * Reads the files of `-f` into the initial state of a simulated cluster.
 *
 * @throws CliError - a file cannot be read, or manifests are refused
 */
export async function readNonEmptyManifests(paths: readonly string[], options: ReadOptions): Promise<ClusterManifests> {
  const manifests = await readClusterManifests(paths, options);
  if (isEmpty(manifests)) throw toNothingToSimulateError(paths, manifests);
  return manifests;
}

/**
 * Like `readNonEmptyManifests`, but accepts an empty set.
 *
 * @param options.presentClasses - names of EC2NodeClasses that exist besides those of the files
 */
export async function readClusterManifests(
  paths: readonly string[],
  { presentClasses, ...options }: ReadOptions & { readonly presentClasses?: readonly string[] },
): Promise<ClusterManifests> {
  const reading = readManifests(await readManifestFiles(paths, options), presentClasses);
  if (reading.outcome === 'refused') throw new CliError(reading.problems.map(toProblem));
  return reading.manifests;
}

const isEmpty = ({ pools, workloads, pods }: ClusterManifests): boolean =>
  pools.length + workloads.length + pods.length === 0;

const toNothingToSimulateError = (paths: readonly string[], { skipped }: ClusterManifests): CliError =>
  fail({
    code: 'no-manifests',
    what: 'nothing to simulate',
    where: paths.map(formatInputPath).join(', '),
    why: 'no NodePool, no workload and no pod in there',
    fix: fixOfNothing(skipped),
  });

function fixOfNothing(skipped: readonly SkippedManifest[]): string {
  if (skipped.length === 0) return 'name other files';
  const [first] = skipped.flatMap(({ cause, ...one }) => (cause ? [{ ...one, cause }] : []));
  if (first) return `name other files: ${first.kind} ${first.name} ${describeCause(first.cause)}`;
  return skipped.some(({ kind }) => kind === 'Kustomization')
    ? 'run `kubectl kustomize` first, and name the file with its output'
    : `name other files: these hold ${toKindsText(skipped)}`;
}

function toProblem(problem: ManifestProblem): Problem {
  const { code, what, file, line, column, document, object, path, why, fix } = problem;
  const location = [`${file}:${line}:${column}`, `document ${document}`, object, path];
  return { code, what, where: location.filter((part) => part !== undefined).join(', '), why, fix };
}

/** The effect of the absence of a kind on the result of a simulation. */
const CONSEQUENCES: ReadonlyMap<string, string> = new Map([
  ['HorizontalPodAutoscaler', 'not simulated: workloads keep the replicas that they name'],
  ['ScaledObject', 'KEDA is not simulated: workloads keep the replicas that they name'],
  ['ScaledJob', 'KEDA is not simulated: its Jobs do not run'],
  ['CronJob', 'not simulated: its Jobs do not run'],
  ['Rollout', 'Argo Rollouts is not simulated: its pods are missing; write it as a Deployment'],
  ['Kustomization', 'its patches are not applied: run `kubectl kustomize` first'],
]);

/** Names what a simulated cluster ignores, why, and what follows from that. */
export const listSkippedWarnings = ({ skipped }: ClusterManifests): string[] => {
  const kinds = skipped.filter(({ cause }) => cause === undefined);
  const others = kinds.filter(({ kind }) => !CONSEQUENCES.has(kind));
  return [
    ...[...CONSEQUENCES].flatMap(([kind, consequence]) => {
      const names = kinds.filter((one) => one.kind === kind).map(({ name }) => name);
      return names.length === 0 ? [] : [`${kind} ${firstOf(names)}: ${consequence}`];
    }),
    ...listPassedOver(skipped),
    ...(others.length === 0
      ? []
      : [`skipped, for a simulated cluster does not have these kinds: ${toKindsText(others)}`]),
  ];
};

/** One sentence for all objects of a kind that are passed over for the same reason. */
const listPassedOver = (skipped: readonly SkippedManifest[]): readonly string[] => {
  const explained = skipped.flatMap(({ kind, name, cause }) =>
    cause ? [{ kind, name, why: describeCause(cause) }] : [],
  );
  return [...Map.groupBy(explained, ({ kind, why }) => `${kind} ${why}`).values()].flatMap((equal) =>
    equal.slice(0, 1).map(({ kind, why }) => `${kind} ${firstOf(equal.map(({ name }) => name))}: ${why}`),
  );
};

function describeCause(cause: SkipCause): string {
  switch (cause.why) {
    case 'owned':
      return 'left out, because the owner is in the files and creates the pods';
    case 'ended':
      return 'left out, because what has ended needs no node';
    case 'being-deleted':
      return 'left out, because it is being deleted';
    case 'static':
      return 'left out, because the kubelet of its node runs it';
    case 'other-scheduler':
      return `left out, because its pods wait for the scheduler ${cause.scheduler}, which is not simulated`;
    case 'other-node-class':
      return `launches nothing here: its nodeClassRef names ${cause.nodeClass}, not EC2NodeClass of karpenter.k8s.aws`;
  }
}

const MAX_NAMES = 5;

const firstOf = (names: readonly string[]): string =>
  names.length <= MAX_NAMES
    ? names.join(', ')
    : `${names.slice(0, MAX_NAMES).join(', ')} and ${names.length - MAX_NAMES} more`;

const toKindsText = (skipped: readonly SkippedManifest[]): string =>
  [...Map.groupBy(skipped, ({ kind }) => kind)]
    .map(([kind, { length }]) => (length === 1 ? kind : `${kind} (${length})`))
    .join(', ');

/** Missing NodePools or workloads usually mean that another folder contains them. */
export const listMissingWarnings = ({ pools, workloads, pods, skipped }: ClusterManifests): string[] => [
  ...(pools.length > 0 || skipped.some(({ kind }) => kind === 'NodePool')
    ? []
    : ['no NodePool is in the files, so nothing is launched: name those that hold them too']),
  ...(workloads.length + pods.length > 0
    ? []
    : ['no pod or workload is in the files, so no node is needed: name those that hold them too']),
];

/** Lists the findings that the API server would warn of, equal ones together. */
export const listFindingWarnings = ({ warnings = [] }: ClusterManifests): string[] =>
  [...Map.groupBy(warnings, ({ what, why }) => `${what}, ${why}`)].map(([text, equal]) => {
    const [first] = equal;
    const objects = [...new Set(equal.map(({ object = '' }) => object))];
    return `${firstOf(objects)}: ${text}; ${first?.fix ?? ''}`;
  });

/** Names the storage objects that are assumed to be in the cluster. */
export const listStorageWarnings = ({ claims, volumes, classes }: AssumedStorage): string[] => [
  ...(claims.length === 0
    ? []
    : [
        `PersistentVolumeClaim ${firstOf(claims)}: not in the files, so taken as bound to a volume in reach of every node`,
      ]),
  ...(volumes.length === 0
    ? []
    : [`PersistentVolume ${firstOf(volumes)}: not in the files, so taken as in reach of every node`]),
  ...(classes.length === 0
    ? []
    : [
        `StorageClass ${firstOf(classes.map((name) => name || '(the default)'))}: not in the files, so its volumes are taken as EBS volumes in the zone of their first pod`,
      ]),
];
