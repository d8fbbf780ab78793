import type { ManifestValidation } from '../../shared/api/validate/manifest-validation.ts';
import { validateManifests } from '../../shared/api/validate/validate-manifests.ts';
import { EC2_TYPES } from '../../shared/ec2/catalogue/ec2-types.ts';
import { toNodeSize } from '../../shared/ec2/catalogue/effective-kubelet.ts';
import type { NodeSize } from '../../shared/model/nodes/node-class.ts';
import { type Answer, wholeAnswer } from '../answer.ts';
import { chooseCatalogue, type RegionFlags } from '../catalogue/choose-region.ts';
import { countTypes, createTypeCounter } from '../catalogue/count-types.ts';
import { BUNDLED_VALUES, createRegionValues } from '../catalogue/known-values.ts';
import type { Validation } from '../documents/validation.ts';
import { EXIT } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { validationText } from '../render/validation.ts';
import { readCliDecisionSettings } from '../settings/read-settings.ts';
import { noObjectIn, readManifestFiles } from './manifest-files.ts';
import { findClassRefusal } from './node-class-refusal.ts';

export interface ValidateRequest extends RegionFlags {
  readonly paths: readonly string[];
  readonly recursive: boolean;
  /** 36 for Kubernetes 1.36. */
  readonly kubernetesMinor: number;
}

/**
 * Validates manifests like an API server with our CRDs, and like the controllers afterwards.
 *
 * @throws CliError - `file-unreadable`, `no-manifests`, `url-unreachable`, `bad-value`
 */
export async function validate(
  { paths, recursive, kubernetesMinor, ...flags }: ValidateRequest,
  { io }: Invocation,
): Promise<Answer> {
  const sources = await readManifestFiles(paths, { recursive, io });
  const catalogue = await chooseCatalogue(flags, io);
  const objects = validateManifests(sources, {
    kubernetesMinor,
    gates: readCliDecisionSettings(io.env).gates,
    countTypes: catalogue ? createTypeCounter(catalogue) : countTypes,
    labelValues: catalogue ? createRegionValues(catalogue) : BUNDLED_VALUES,
    findClassRefusal,
    // A getter: only expressions in kubelet settings need the sizes of all types.
    get nodeSizes() {
      return listNodeSizes();
    },
  });
  if (objects.length === 0) throw noObjectIn(paths);
  const validation: Validation = {
    objects: objects.map((object) => ({ ...object, problems: [...object.problems] })),
  };
  const isFailed = objects.some(({ verdict }) => verdict === 'refused' || verdict === 'unusable');
  return wholeAnswer({
    kind: 'ValidationReport',
    source: {
      files: paths,
      ...(catalogue && { catalogue: catalogue.source, region: catalogue.region }),
    },
    warnings: [...missingClassWarnings(objects), ...notJudgedWarnings(objects)],
    result: validation,
    text: (terminal) => validationText(validation, terminal),
    ...(isFailed && { exitCode: EXIT.answerIsNo }),
  });
}

/** Without any class in the files, the classes of the pools are most likely in the cluster. */
function missingClassWarnings(objects: readonly ManifestValidation[]): string[] {
  const kinds = new Set(objects.map(({ kind }) => kind));
  if (!kinds.has('NodePool') || kinds.has('EC2NodeClass')) return [];
  return [
    'missing-reference: no EC2NodeClass is in these files; a NodePool is Ready only if the cluster has its class',
  ];
}

/** Warns about kinds that were not validated, because other controllers may serve them. */
function notJudgedWarnings(objects: readonly ManifestValidation[]): string[] {
  const foreign = objects.flatMap(({ kind, verdict }) =>
    verdict === 'not-judged' && kind !== undefined ? [kind] : [],
  );
  if (foreign.length === 0) return [];
  const kinds = [...new Set(foreign)].toSorted().join(', ');
  return [`not judged, for the autoscaler does not serve these kinds: ${kinds}`];
}

/** Lists the sizes of all bundled types, for expressions in kubelet settings. */
const listNodeSizes = (): readonly NodeSize[] => EC2_TYPES.map((type) => toNodeSize(type, { amiFamily: 'AL2023' }, 0));
