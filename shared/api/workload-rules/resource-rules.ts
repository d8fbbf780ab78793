import { parseQuantity } from '../../model/quantity.ts';
import { EPHEMERAL_STORAGE, MEMORY } from '../../model/resources.ts';
import type { WrittenContainer, WrittenDemand } from '../builtin-resources/containers.ts';
import type { WrittenPodTemplate } from '../builtin-resources/pod-template.ts';
import type { FieldPath, ManifestFinding } from '../finding.ts';
import { quote } from '../finding.ts';

type WrittenSpec = WrittenPodTemplate['spec'];

/** A container and its path below the pod spec. */
interface LocatedContainer {
  readonly container: WrittenContainer;
  readonly path: FieldPath;
}

export const listContainers = ({
  containers,
  initContainers = [],
}: WrittenSpec): readonly LocatedContainer[] =>
  [containers, initContainers].flatMap((all, isInit) =>
    all.map((container, index) => ({
      container,
      path: [isInit ? 'initContainers' : 'containers', index],
    })),
  );

/**
 * Lists amounts that the API server stores with a warning: `512m` of memory is half a byte.
 *
 * @see kubernetes, pkg/api/pod/warnings.go: "fractional byte value ... must be an integer"
 */
export const listPodWarnings = (spec: WrittenSpec, at: FieldPath): readonly ManifestFinding[] => [
  ...listContainers(spec).flatMap(({ container, path }) =>
    listFractionalBytes(container.resources, [...at, ...path, 'resources']),
  ),
  ...listFractionalBytes(spec.resources, [...at, 'resources']),
];

function listFractionalBytes(
  resources: WrittenDemand | undefined,
  at: FieldPath,
): readonly ManifestFinding[] {
  const parts = ['requests', 'limits'] as const;
  return parts.flatMap((part) =>
    [MEMORY, EPHEMERAL_STORAGE].flatMap((resource) => {
      const written = resources?.[part]?.[resource];
      const text = `${written ?? 0}`;
      if (!isFractional(text)) return [];
      return [describeFractionalBytes(text, resource, [...at, part, resource])];
    }),
  );
}

const NANOS_PER_BYTE = 10n ** 9n;

/** The suffix m is a mistake for bytes also if the result happens to be whole. */
const isFractional = (text: string): boolean =>
  text.endsWith('m') || (parseQuantity(text)?.nanos ?? 0n) % NANOS_PER_BYTE !== 0n;

const describeFractionalBytes = (
  text: string,
  resource: string,
  path: FieldPath,
): ManifestFinding => ({
  code: 'bad-quantity',
  path,
  what: `${resource} ${quote(text)} is a fractional number of bytes`,
  why: 'the API server warns of it, and the pod asks for next to nothing',
  fix: text.endsWith('m') ? `write ${text.slice(0, -1)}Mi` : 'write 512Mi, for example',
});
