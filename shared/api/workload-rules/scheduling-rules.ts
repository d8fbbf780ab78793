import type { Labels } from '../../model/labels.ts';
import { isLabelValue, isQualified } from '../admission/metadata.ts';
import type { WrittenPodTemplate } from '../builtin-resources/pod-template.ts';
import { type FieldPath, type ManifestFinding, quote, quoteUnlessName, refuseByRule } from '../finding.ts';

type WrittenSpec = WrittenPodTemplate['spec'];

/**
 * Lists the fields that decide where a pod runs and that the API server refuses together.
 *
 * @see kubernetes, pkg/apis/core/validation/validation.go
 */
export const listSchedulingFindings = (spec: WrittenSpec, at: FieldPath): readonly ManifestFinding[] => [
  ...listLabelFindings(spec.nodeSelector, [...at, 'nodeSelector']),
  ...listTolerationFindings(spec.tolerations ?? [], [...at, 'tolerations']),
  ...listNodeAffinityFindings(spec.affinity?.nodeAffinity, [...at, 'affinity', 'nodeAffinity']),
  ...(['podAffinity', 'podAntiAffinity'] as const).flatMap((field) =>
    listPodAffinityFindings(spec.affinity?.[field], [...at, 'affinity', field]),
  ),
  ...listSpreadFindings(spec.topologySpreadConstraints ?? [], [...at, 'topologySpreadConstraints']),
];

/** Lists keys and values that no label can have. */
export const listLabelFindings = (labels: Labels | undefined = {}, at: FieldPath): readonly ManifestFinding[] =>
  Object.entries(labels).flatMap(([key, value]) => [
    ...listKeyFindings(key, [...at, key]),
    ...(isLabelValue(value)
      ? []
      : [describe([...at, key], `${quote(value)} is no label value`, LABEL_SYNTAX, 'shorten or respell it')]),
  ]);

const LABEL_SYNTAX = 'letters, digits, "-", "_" and ".", at most 63, the first and the last a letter or digit';

const listKeyFindings = (key: string, path: FieldPath): readonly ManifestFinding[] =>
  isQualified(key)
    ? []
    : [
        describe(
          path,
          key === '' ? 'the key is empty' : `${quote(key)} is no label key`,
          'a name, or a domain with a name',
          'write a key like example.com/team',
        ),
      ];

function describe(path: FieldPath, what: string, why: string, fix: string): ManifestFinding {
  const rule = path.findLast((segment) => typeof segment === 'string' && /^[a-zA-Z]+$/.test(segment));
  return { path, ...refuseByRule(`${rule ?? 'pod'}`, what, why, fix) };
}

function listTolerationFindings(
  tolerations: NonNullable<WrittenSpec['tolerations']>,
  at: FieldPath,
): readonly ManifestFinding[] {
  return tolerations.flatMap(({ key = '', operator, value = '', effect = '', tolerationSeconds }, index) => {
    const path = [...at, index];
    const seconds = tolerationSeconds !== undefined && tolerationSeconds !== null;
    return [
      ...(key === '' ? [] : listKeyFindings(key, [...path, 'key'])),
      ...(key === '' && operator !== 'Exists'
        ? [
            describe(
              [...path, 'operator'],
              'toleration without a key',
              'without a key only Exists is allowed, which tolerates every taint',
              'add key, or write operator: Exists',
            ),
          ]
        : []),
      ...(operator === 'Exists' && value !== ''
        ? [
            describe(
              [...path, 'value'],
              `value ${quote(value)} beside Exists`,
              'Exists tolerates every value',
              'take value out, or write operator: Equal',
            ),
          ]
        : []),
      ...(operator === 'Equal' && !isLabelValue(value)
        ? [describe([...path, 'value'], `${quote(value)} is no taint value`, LABEL_SYNTAX, 'shorten or respell it')]
        : []),
      ...(seconds && effect !== 'NoExecute'
        ? [
            describe(
              [...path, 'effect'],
              'tolerationSeconds without NoExecute',
              'only NoExecute ends pods after a time',
              'write effect: NoExecute, or take tolerationSeconds out',
            ),
          ]
        : []),
    ];
  });
}

interface Expression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

/** Lists operators with a wrong number of values. */
const listExpressionFindings = (expressions: readonly Expression[] = [], at: FieldPath): readonly ManifestFinding[] =>
  expressions.flatMap(({ key, operator, values = [] }, index) => {
    const path = [...at, index];
    const expected = describeExpectedValues(operator, values.length);
    return [
      ...listKeyFindings(key, [...path, 'key']),
      ...(expected === undefined
        ? []
        : [
            describe(
              [...path, 'values'],
              `${operator} with ${values.length} values`,
              `${operator} takes ${expected.text}`,
              expected.fix,
            ),
          ]),
    ];
  });

function describeExpectedValues(
  operator: string,
  count: number,
): { readonly text: string; readonly fix: string } | undefined {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return count > 0 ? undefined : { text: 'one value or more', fix: 'add values' };
    case 'Gt':
    case 'Lt':
      return count === 1 ? undefined : { text: 'exactly one value', fix: 'write one value, a whole number' };
    default:
      return count === 0 ? undefined : { text: 'no values', fix: 'take values out, or write In' };
  }
}

type NodeAffinity = NonNullable<NonNullable<WrittenSpec['affinity']>['nodeAffinity']>;
type NodeTerm = NonNullable<
  NodeAffinity['requiredDuringSchedulingIgnoredDuringExecution']
>['nodeSelectorTerms'][number];

function listNodeAffinityFindings(affinity: NodeAffinity | undefined, at: FieldPath): readonly ManifestFinding[] {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: required,
    preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
  } = affinity ?? {};
  const requiredPath = [...at, 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms'];
  const preferredPath = [...at, 'preferredDuringSchedulingIgnoredDuringExecution'];
  return [
    ...(required?.nodeSelectorTerms.length === 0
      ? [
          describe(
            requiredPath,
            'nodeSelectorTerms is empty',
            'required node affinity needs at least one term',
            'add a term, or take nodeAffinity out',
          ),
        ]
      : []),
    ...(required?.nodeSelectorTerms ?? []).flatMap((term, index) =>
      listNodeTermFindings(term, [...requiredPath, index]),
    ),
    ...preferred.flatMap(({ preference }, index) =>
      listNodeTermFindings(preference, [...preferredPath, index, 'preference']),
    ),
  ];
}

const listNodeTermFindings = (
  { matchExpressions, matchFields = [] }: NodeTerm,
  at: FieldPath,
): readonly ManifestFinding[] => [
  ...listExpressionFindings(matchExpressions, [...at, 'matchExpressions']),
  ...matchFields.flatMap(({ key, operator, values = [] }, index) => {
    const path = [...at, 'matchFields', index];
    if (key === 'metadata.name' && ['In', 'NotIn'].includes(operator) && values.length === 1) return [];
    return [
      describe(
        path,
        `matchFields on ${quoteUnlessName(key)}`,
        'fields are matched by metadata.name, with In or NotIn and one value',
        'write that, or use matchExpressions',
      ),
    ];
  }),
];

type PodAffinity = NonNullable<NonNullable<WrittenSpec['affinity']>['podAffinity']>;
type PodTerm = NonNullable<PodAffinity['requiredDuringSchedulingIgnoredDuringExecution']>[number];

function listPodAffinityFindings(affinity: PodAffinity | undefined, at: FieldPath): readonly ManifestFinding[] {
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  return [
    ...(affinity?.[required] ?? []).flatMap((term, index) => listPodTermFindings(term, [...at, required, index])),
    ...(affinity?.[preferred] ?? []).flatMap(({ podAffinityTerm }, index) =>
      listPodTermFindings(podAffinityTerm, [...at, preferred, index, 'podAffinityTerm']),
    ),
  ];
}

const listPodTermFindings = (
  { topologyKey, labelSelector, namespaceSelector, matchLabelKeys = [], mismatchLabelKeys = [] }: PodTerm,
  at: FieldPath,
): readonly ManifestFinding[] => [
  ...listKeyFindings(topologyKey, [...at, 'topologyKey']),
  ...listSelectorFindings(labelSelector, [...at, 'labelSelector']),
  ...listSelectorFindings(namespaceSelector, [...at, 'namespaceSelector']),
  ...listMatchKeyFindings(matchLabelKeys, labelSelector, [...at, 'matchLabelKeys']),
  ...listMatchKeyFindings(mismatchLabelKeys, labelSelector, [...at, 'mismatchLabelKeys']),
];

interface WrittenSelector {
  readonly matchLabels?: Labels | undefined;
  readonly matchExpressions?: readonly Expression[] | undefined;
}

export const listSelectorFindings = (
  selector: WrittenSelector | undefined,
  at: FieldPath,
): readonly ManifestFinding[] => [
  ...listLabelFindings(selector?.matchLabels, [...at, 'matchLabels']),
  ...listExpressionFindings(selector?.matchExpressions, [...at, 'matchExpressions']),
];

/** The values of these keys are added to a selector, so there must be one, without the keys. */
function listMatchKeyFindings(
  keys: readonly string[],
  selector: WrittenSelector | undefined,
  at: FieldPath,
): readonly ManifestFinding[] {
  const [first] = keys;
  if (first === undefined) return [];
  const field = `${at.at(-1) ?? ''}`;
  if (!selector)
    return [
      describe(at, `${field} without labelSelector`, 'its values are added to the selector', 'add labelSelector'),
    ];
  const expressions = selector.matchExpressions ?? [];
  const twice = keys.find(
    (key) => Object.hasOwn(selector.matchLabels ?? {}, key) || expressions.some((one) => one.key === key),
  );
  return twice === undefined
    ? []
    : [
        describe(
          at,
          `${quoteUnlessName(twice)} is in labelSelector too`,
          `the pod's own value of a key of ${field} is selected`,
          'take it out of one of them',
        ),
      ];
}

function listSpreadFindings(
  constraints: NonNullable<WrittenSpec['topologySpreadConstraints']>,
  at: FieldPath,
): readonly ManifestFinding[] {
  return constraints.flatMap((constraint, index) => {
    const { topologyKey, whenUnsatisfiable, minDomains, labelSelector, matchLabelKeys } = constraint;
    const path = [...at, index];
    const isRepeated = constraints
      .slice(0, index)
      .some((one) => one.topologyKey === topologyKey && one.whenUnsatisfiable === whenUnsatisfiable);
    return [
      ...listKeyFindings(topologyKey, [...path, 'topologyKey']),
      ...listSelectorFindings(labelSelector, [...path, 'labelSelector']),
      ...listMatchKeyFindings(matchLabelKeys, labelSelector, [...path, 'matchLabelKeys']),
      ...(isRepeated
        ? [
            describe(
              [...path, 'topologyKey'],
              `${quoteUnlessName(topologyKey)} with ${whenUnsatisfiable} is there twice`,
              'one constraint for each topologyKey and whenUnsatisfiable',
              'take one of them out',
            ),
          ]
        : []),
      ...(minDomains !== undefined && whenUnsatisfiable === 'ScheduleAnyway'
        ? [
            describe(
              [...path, 'minDomains'],
              'minDomains with ScheduleAnyway',
              'minDomains counts only with DoNotSchedule',
              'take minDomains out, or write DoNotSchedule',
            ),
          ]
        : []),
    ];
  });
}
