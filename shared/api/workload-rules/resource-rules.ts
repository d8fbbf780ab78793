import { findNearestWord } from '../../model/nearest-word.ts';
import { ownValue } from '../../model/own-value.ts';
import { parseQuantity, type WrittenQuantity } from '../../model/quantity.ts';
import { CPU, EPHEMERAL_STORAGE, MEMORY } from '../../model/resources.ts';
import { isQualified } from '../admission/metadata.ts';
import type { WrittenContainer, WrittenDemand } from '../builtin-resources/containers.ts';
import type { WrittenPodTemplate } from '../builtin-resources/pod-template.ts';
import {
  type FieldPath,
  type FindingText,
  type ManifestFinding,
  quote,
  quoteUnlessName,
  refuseByRule,
} from '../finding.ts';

type WrittenSpec = WrittenPodTemplate['spec'];

/** A container and its path below the pod spec. */
interface LocatedContainer {
  readonly container: WrittenContainer;
  readonly path: FieldPath;
}

export const listContainers = ({ containers, initContainers = [] }: WrittenSpec): readonly LocatedContainer[] =>
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

function listFractionalBytes(resources: WrittenDemand | undefined, at: FieldPath): readonly ManifestFinding[] {
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

const describeFractionalBytes = (text: string, resource: string, path: FieldPath): ManifestFinding => ({
  code: 'bad-quantity',
  path,
  what: `${resource} ${quote(text)} is a fractional number of bytes`,
  why: 'the API server warns of it, and the pod asks for next to nothing',
  fix: text.endsWith('m') ? `write ${text.slice(0, -1)}Mi` : 'write 512Mi, for example',
});

/**
 * Lists requests and limits that the API server refuses.
 *
 * @see kubernetes, pkg/apis/core/validation: validateContainerResourceRequirements
 */
export const listResourceFindings = (spec: WrittenSpec, at: FieldPath): readonly ManifestFinding[] =>
  listContainers(spec).flatMap(({ container: { resources = {} }, path }) => {
    const here = [...at, ...path, 'resources'];
    return [
      ...listNameFindings(resources, here),
      ...listAmountFindings(resources, here),
      ...listHugePageFindings(resources, here),
    ];
  });

const PARTS = ['requests', 'limits'] as const;
const STANDARD: readonly string[] = [CPU, MEMORY, EPHEMERAL_STORAGE];
const isHugePages = (name: string): boolean => name.startsWith('hugepages-');
/** Kubernetes' own resources; a device plugin offers all others. */
const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');
const isShared = (name: string): boolean => isNative(name) && !isHugePages(name);

const listNameFindings = (resources: WrittenDemand, at: FieldPath): readonly ManifestFinding[] =>
  PARTS.flatMap((part) =>
    Object.keys(resources[part] ?? {}).flatMap((name) => {
      const path = [...at, part, name];
      if (name.includes('/') ? isQualified(name) : STANDARD.includes(name) || isHugePages(name)) {
        return [];
      }
      const meant = findNearestWord(name.toLowerCase(), STANDARD);
      const what = `${quoteUnlessName(name)} is no resource`;
      const why = 'cpu, memory, ephemeral-storage, hugepages-2Mi, or a name with the domain of its device plugin';
      return [
        {
          path,
          ...refuseByRule('resources', what, why, meant ? `write ${meant}` : 'write one of them'),
        },
      ];
    }),
  );

function listAmountFindings({ requests = {}, limits = {} }: WrittenDemand, at: FieldPath): readonly ManifestFinding[] {
  const fractions = PARTS.flatMap((part) =>
    Object.entries({ requests, limits }[part]).flatMap(([name, amount]) =>
      !isNative(name) && toNanos(amount) % NANOS_PER_BYTE !== 0n
        ? [describeFraction(name, amount, [...at, part, name])]
        : [],
    ),
  );
  const pairs = Object.entries(requests).flatMap(([name, request]) => {
    const finding = comparePair(name, request, ownValue(limits, name));
    return finding ? [{ path: [...at, 'requests', name], ...finding }] : [];
  });
  return [...fractions, ...pairs];
}

function comparePair(
  name: string,
  request: WrittenQuantity,
  limit: WrittenQuantity | undefined,
): FindingText | undefined {
  const resource = quoteUnlessName(name);
  if (limit === undefined) {
    if (isShared(name)) return undefined;
    const what = `${resource} has a request and no limit`;
    const why = 'what cannot be shared needs a limit, which counts as the request too';
    return refuseByRule('resources', what, why, `write limits.${resource}: ${request}`);
  }
  const excess = toNanos(request) - toNanos(limit);
  if (excess > 0n) {
    const what = `${resource}: the request ${request} is above the limit ${limit}`;
    return refuseByRule(
      'resources',
      what,
      'a request is at most its limit',
      `lower it to ${limit}, or raise the limit`,
    );
  }
  if (excess === 0n || isShared(name)) return undefined;
  const what = `${resource}: the request ${request} is below the limit ${limit}`;
  return refuseByRule('resources', what, 'what cannot be shared has equal requests and limits', `write ${limit}`);
}

const describeFraction = (name: string, amount: WrittenQuantity, path: FieldPath): ManifestFinding => ({
  path,
  ...refuseByRule(
    'resources',
    `${quoteUnlessName(name)}: ${quote(`${amount}`)} is a fraction`,
    'a device is requested as a whole',
    'write a whole number',
  ),
});

function listHugePageFindings(
  { requests = {}, limits = {} }: WrittenDemand,
  at: FieldPath,
): readonly ManifestFinding[] {
  const names = Object.keys({ ...requests, ...limits });
  if (!names.some(isHugePages) || names.includes(CPU) || names.includes(MEMORY)) return [];
  const what = 'huge pages alone';
  const why = 'a container with huge pages requests cpu or memory too';
  return [{ path: at, ...refuseByRule('resources', what, why, 'add requests.memory') }];
}

const toNanos = (written: WrittenQuantity): bigint => parseQuantity(written)?.nanos ?? 0n;
