import type { FixChange } from '../model/plans.ts';
import type { Pod, PodSpec } from '../model/pods/pod.ts';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** An operation of a JSON patch. */
type Operation = Readonly<Record<string, Json>>;

const ROOT = '/spec/template/spec';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/**
 * Lists the operations that make the change in a pod template. Each list begins with tests, so that a template
 * that has changed since is left alone.
 *
 * @returns an empty list for changes that have no place in the template
 */
export function listPodOperations(fix: FixChange, { spec }: Pod): readonly Operation[] {
  switch (fix.kind) {
    case 'rename-label':
      return listRenames(fix, spec);
    case 'correct-value':
      return listCorrections(fix, spec);
    case 'drop-selector':
      return listRemovals(fix, spec);
    case 'lower-min-domains':
      return replace(`${toPointer(fix.path)}/minDomains`, Number(fix.from), Number(fix.to));
    case 'prefer-rule':
      return listPreferences(fix, spec);
    case 'add-label':
    case 'add-node-pool':
    case 'add-toleration':
    case 'allow-values':
    case 'change-class':
    case 'correct-class':
    case 'correct-storage-class':
    case 'create-volume-claim':
    case 'drop-requirement':
    case 'lower-min-values':
    case 'raise-limit':
    case 'reduce-request':
    case 'rename-resource':
    case 'wait':
      return [];
  }
}

const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** `spec.template.spec.a.b[0]` as `/spec/template/spec/a/b/0`. */
const toPointer = (path: string): string => `/${path.replace(/\[(\d+)\]/g, '.$1').replaceAll('.', '/')}`;

const replace = (path: string, from: Json, to: Json): readonly Operation[] => [
  { op: 'test', path, value: from },
  { op: 'replace', path, value: to },
];

/** The expressions of the required node affinity, with their paths. */
const listExpressions = ({ requiredNodeTerms }: PodSpec) =>
  requiredNodeTerms.flatMap((term, index) =>
    term.map((expression, position) => ({
      ...expression,
      path: `${ROOT}/affinity/nodeAffinity/${REQUIRED}/nodeSelectorTerms/${index}/matchExpressions/${position}`,
    })),
  );

/** The rules that have a topology key, with its path. */
const listTopologyKeys = ({ topologySpread, podAffinity, podAntiAffinity }: PodSpec) => [
  ...topologySpread.map(({ key }, index) => ({ key, path: `${ROOT}/topologySpreadConstraints/${index}/topologyKey` })),
  ...[podAffinity, podAntiAffinity].flatMap((terms, index) =>
    terms.map(({ key }, position) => ({
      key,
      path: `${ROOT}/affinity/${index === 0 ? 'podAffinity' : 'podAntiAffinity'}/${REQUIRED}/${position}/topologyKey`,
    })),
  ),
];

function listRenames({ from = '', to }: FixChange, spec: PodSpec): readonly Operation[] {
  const selected = spec.nodeSelector[from];
  const selector = `${ROOT}/nodeSelector`;
  return [
    ...(selected === undefined
      ? []
      : [
          { op: 'test', path: `${selector}/${escapeKey(from)}`, value: selected },
          { op: 'remove', path: `${selector}/${escapeKey(from)}` },
          { op: 'add', path: `${selector}/${escapeKey(to)}`, value: selected },
        ]),
    ...listExpressions(spec).flatMap(({ key, path }) => (key === from ? replace(`${path}/key`, from, to) : [])),
    ...listTopologyKeys(spec).flatMap(({ key, path }) => (key === from ? replace(path, from, to) : [])),
  ];
}

function listCorrections({ path: field, key = '', from = '', to }: FixChange, spec: PodSpec): readonly Operation[] {
  if (field.endsWith('podAffinity')) {
    return spec.podAffinity.flatMap(({ selector }, index) =>
      selector?.matchLabels[key] === from
        ? replace(
            `${ROOT}/affinity/podAffinity/${REQUIRED}/${index}/labelSelector/matchLabels/${escapeKey(key)}`,
            from,
            to,
          )
        : [],
    );
  }
  return [
    ...(spec.nodeSelector[key] === from ? replace(`${ROOT}/nodeSelector/${escapeKey(key)}`, from, to) : []),
    ...listExpressions(spec).flatMap((one) => {
      const at = one.key === key ? (one.values?.indexOf(from) ?? -1) : -1;
      return at < 0 ? [] : replace(`${one.path}/values/${at}`, from, to);
    }),
  ];
}

/** Removes from the end, so that the indexes of the others stay. */
function listRemovals({ key = '' }: FixChange, spec: PodSpec): readonly Operation[] {
  const named = listExpressions(spec).filter((one) => one.key === key);
  const isEmptied = spec.requiredNodeTerms.every((term) => term.every((one) => one.key === key));
  const expressions = isEmptied
    ? [{ op: 'remove', path: `${ROOT}/affinity/nodeAffinity/${REQUIRED}` }]
    : named.toReversed().flatMap(({ path }) => [
        { op: 'test', path: `${path}/key`, value: key },
        { op: 'remove', path },
      ]);
  return [
    ...(spec.nodeSelector[key] === undefined ? [] : [{ op: 'remove', path: `${ROOT}/nodeSelector/${escapeKey(key)}` }]),
    ...(named.length > 0 ? expressions : []),
  ];
}

/** Moves a required rule to the preferred ones, or lets a spread allow its violation. */
function listPreferences({ path: field }: FixChange, spec: PodSpec): readonly Operation[] {
  const path = toPointer(field);
  const index = Number(path.split('/').at(-1));
  if (field.includes('topologySpreadConstraints')) {
    const isBounded = spec.topologySpread[index]?.minDomains !== undefined;
    return [
      ...replace(`${path}/whenUnsatisfiable`, 'DoNotSchedule', 'ScheduleAnyway'),
      ...(isBounded ? [{ op: 'remove', path: `${path}/minDomains` }] : []),
    ];
  }
  const terms = field.includes('podAntiAffinity') ? spec.podAntiAffinity : spec.podAffinity;
  const present = field.includes('podAntiAffinity') ? spec.preferredPodAntiAffinity : spec.preferredPodAffinity;
  const preferred = path.replace(/requiredDuring\w+\/\d+$/, PREFERRED);
  const rule = { weight: 100, podAffinityTerm: {} };
  return [
    { op: 'test', path: `${path}/topologyKey`, value: terms[index]?.key ?? '' },
    present.length > 0
      ? { op: 'add', path: `${preferred}/-`, value: rule }
      : { op: 'add', path: preferred, value: [rule] },
    { op: 'move', from: path, path: `${preferred}/${present.length}/podAffinityTerm` },
  ];
}
