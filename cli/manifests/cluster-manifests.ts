import type {
  ClusterManifests,
  ManifestProblem,
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
export async function readNonEmptyManifests(
  paths: readonly string[],
  options: ReadOptions,
): Promise<ClusterManifests> {
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

const toNothingToSimulateError = (
  paths: readonly string[],
  { skipped }: ClusterManifests,
): CliError =>
  fail({
    code: 'no-manifests',
    what: 'nothing to simulate',
    where: paths.map(formatInputPath).join(', '),
    why: 'no NodePool, no workload and no pod in there',
    fix: fixOfNothing(skipped),
  });

function fixOfNothing(skipped: readonly SkippedManifest[]): string {
  if (skipped.length === 0) return 'name other files';
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

/** Names the kinds that a simulated cluster ignores, and what follows from that. */
export const listSkippedWarnings = ({ skipped }: ClusterManifests): string[] => {
  const others = skipped.filter(({ kind }) => !CONSEQUENCES.has(kind));
  return [
    ...[...CONSEQUENCES].flatMap(([kind, consequence]) => {
      const names = skipped.filter((one) => one.kind === kind).map(({ name }) => name);
      return names.length === 0 ? [] : [`${kind} ${firstOf(names)}: ${consequence}`];
    }),
    ...(others.length === 0
      ? []
      : [`skipped, for a simulated cluster does not have these kinds: ${toKindsText(others)}`]),
  ];
};

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
export const listMissingWarnings = ({ pools, workloads, pods }: ClusterManifests): string[] => [
  ...(pools.length > 0
    ? []
    : ['no NodePool is in the files, so nothing is launched: name those that hold them too']),
  ...(workloads.length + pods.length > 0
    ? []
    : ['no pod or workload is in the files, so no node is needed: name those that hold them too']),
];
