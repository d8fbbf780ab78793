import { isRecord } from '../schema/schema.ts';
import type { ManifestSource } from './cluster-manifests.ts';
import { baseName, isKustomizationFile } from './manifest-object.ts';
import { readYaml } from './yaml-documents.ts';

/**
 * Finds the files that are no objects but parts of a kustomization beside them: patches, and values or
 * configuration from which kustomize makes objects.
 *
 * @returns names of files, as in `sources`
 * @see Kustomize, "kustomization.yaml": patches, replacements, generators
 */
export function findKustomizeParts(sources: readonly ManifestSource[]): ReadonlySet<string> {
  return new Set(
    sources
      .filter(({ file }) => isKustomizationFile(file))
      .flatMap(({ file, text }) => {
        const folder = file.slice(0, -baseName(file).length);
        return readYaml(text).documents.flatMap(({ value }) =>
          listParts(value).map((part) => resolvePath(`${folder}${part}`)),
        );
      }),
  );
}

function listParts(kustomization: unknown): readonly string[] {
  if (!isRecord(kustomization)) return [];
  const entriesOf = (...names: readonly string[]): readonly unknown[] =>
    names.flatMap((name) => kustomization[name] ?? []);
  const fieldsOf = (entries: readonly unknown[], ...names: readonly string[]) =>
    entries.filter(isRecord).flatMap((entry) => names.flatMap((name) => entry[name] ?? []));
  const resources = new Set(entriesOf('resources'));
  return [
    ...fieldsOf(entriesOf('patches', 'patchesJson6902', 'replacements'), 'path'),
    ...entriesOf('patchesStrategicMerge', 'configurations'),
    ...fieldsOf(entriesOf('configMapGenerator', 'secretGenerator'), 'files', 'envs', 'env').map(
      // `name.yaml=file.yaml` gives the key another name.
      (written) => `${written}`.split('=').at(-1),
    ),
    ...fieldsOf(entriesOf('helmCharts'), 'valuesFile', 'additionalValuesFiles'),
  ].filter(
    // A strategic merge patch may also be written in place.
    (part): part is string => typeof part === 'string' && !part.includes('\n') && !resources.has(part),
  );
}

/** Takes `.` and `..` out of a path. */
function resolvePath(path: string): string {
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..' && kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (part !== '.') kept.push(part);
  }
  return kept.join('/');
}
