import type { ClusterManifests, ManifestProblem } from '../../shared/api/cluster-manifests.ts';
import { readManifests } from '../../shared/api/read-manifests.ts';
import { CliError, type Problem } from '../errors.ts';
import type { Io } from '../io.ts';
import { readManifestFiles } from '../manifest-files.ts';

/**
 * Reads what `-f` names into what a simulated cluster starts with.
 *
 * @throws CliError - a file cannot be read, or manifests are refused
 */
export async function manifestsAt(
  paths: readonly string[],
  options: { recursive: boolean; io: Io },
): Promise<ClusterManifests> {
  const reading = readManifests(await readManifestFiles(paths, options));
  if (reading.outcome === 'read') return reading.manifests;
  throw new CliError(reading.problems.map(problemOf));
}

function problemOf(problem: ManifestProblem): Problem {
  const { code, what, file, line, column, document, object, path, why, fix } = problem;
  const place = [`${file}:${line}:${column}`, `document ${document}`, object, path];
  return { code, what, where: place.filter((part) => part !== undefined).join(', '), why, fix };
}

/** Names the kinds that a simulated cluster has no use for, so that nobody misses them. */
export function skippedWarnings({ skipped }: ClusterManifests): string[] {
  if (skipped.length === 0) return [];
  const kinds = [...Map.groupBy(skipped, ({ kind }) => kind)].map(([kind, { length }]) =>
    length === 1 ? kind : `${kind} (${length})`,
  );
  return [`skipped, for a simulated cluster does not have these kinds: ${kinds.join(', ')}`];
}
