import { findNearestWord } from '../../model/nearest-word.ts';
import { ownValue } from '../../model/own-value.ts';
import { withCorrectAffinity, withMinDomains, withPreferredRule } from '../../model/pods/changed-rules.ts';
import { findTemplateOwner, type Pod, type PodSpec } from '../../model/pods/pod.ts';
import type { FixProposal, FixProposer } from './fix-proposal.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

/** A change of the rules between pods, in the template of the pods. */
interface RuleChange {
  readonly kind: 'lower-min-domains' | 'prefer-rule' | 'correct-value';
  /** Below the pod's spec. */
  readonly path: string;
  readonly key: string;
  readonly from: string;
  readonly to: string;
  readonly change: (spec: PodSpec) => PodSpec;
}

/** The other pods of the owner get the new template as well: their rules count for all of them. */
function toProposals(
  pods: readonly Pod[],
  snapshot: FixProposal['snapshot'],
  listChanges: (spec: PodSpec) => readonly RuleChange[],
): FixProposal[] {
  const [pod] = pods;
  if (!pod) return [];
  const isSibling = ({ owner }: Pod): boolean => owner !== undefined && owner.uid === pod.owner?.uid;
  return listChanges(pod.spec).map(({ change, path, ...changed }) => ({
    ...changed,
    object: findTemplateOwner(pod),
    path: `${pod.owner ? 'spec.template.spec' : 'spec'}.${path}`,
    snapshot: {
      ...snapshot,
      pods: snapshot.pods.map((one) => (isSibling(one) ? { ...one, spec: change(one.spec) } : one)),
    },
    pods: pods.map((one) => ({ ...one, spec: change(one.spec) })),
  }));
}

/** Asks for no more domains of a spread than exist. */
export const proposeFewerDomains: FixProposer = (_, { fields: { key = '', counts = '' } }, pods, { snapshot }) => {
  const existing = counts === '' ? 0 : counts.split(', ').length;
  return toProposals(pods, snapshot, (spec) =>
    spec.topologySpread.flatMap((rule, index): RuleChange[] => {
      const { minDomains = 0 } = rule;
      if (rule.key !== key || existing < 1 || minDomains <= existing) return [];
      return [
        {
          kind: 'lower-min-domains',
          path: `topologySpreadConstraints[${index}]`,
          ...{ key, from: `${minDomains}`, to: `${existing}` },
          change: (one) => withMinDomains(one, index, existing),
        },
      ];
    }),
  );
};

/** Makes the rule between pods that refuses a preference: a spread, or a required affinity. */
export const proposePreferredRule: FixProposer = (_, { fields: { key = '' } }, pods, { snapshot }) =>
  toProposals(pods, snapshot, (spec) => {
    const spreads = spec.topologySpread.map((rule, index) => ({
      isRefusing: rule.key === key && rule.whenUnsatisfiable === 'DoNotSchedule',
      path: `topologySpreadConstraints[${index}]`,
      ...{ from: 'DoNotSchedule', to: 'ScheduleAnyway' },
    }));
    const terms = (['podAffinity', 'podAntiAffinity'] as const).flatMap((field) =>
      spec[field].map((term, index) => ({
        isRefusing: term.key === key,
        path: `affinity.${field}.${REQUIRED}[${index}]`,
        ...{ from: 'required', to: 'preferred' },
      })),
    );
    return [...spreads, ...terms].flatMap(({ isRefusing, ...change }): RuleChange[] =>
      isRefusing ? [{ kind: 'prefer-rule', key, ...change, change: (one) => withPreferredRule(one, change.path) }] : [],
    );
  });

/** Corrects the label of the pods that an affinity asks for, if others have a similar one. */
export const proposeCorrectAffinity: FixProposer = (_, { fields: { key = '' } }, pods, { snapshot }) => {
  const placed = snapshot.pods.filter(({ nodeName }) => nodeName !== undefined);
  return toProposals(pods, snapshot, (spec) =>
    spec.podAffinity.flatMap(({ key: domain, selector }) => {
      if (domain !== key || !selector) return [];
      return Object.entries(selector.matchLabels).flatMap(([label, value]): RuleChange[] => {
        const values = new Set(placed.flatMap(({ labels }) => ownValue(labels, label) ?? []));
        const to = values.has(value) ? undefined : findNearestWord(value, values);
        // `db-1` is no misspelt `db-0`.
        if (to === undefined || withoutDigits(to) === withoutDigits(value)) return [];
        const change = (one: PodSpec): PodSpec => withCorrectAffinity(one, label, value, to);
        return [{ kind: 'correct-value', path: 'affinity.podAffinity', key: label, from: value, to, change }];
      });
    }),
  );
};

const withoutDigits = (text: string): string => text.replace(/\d/g, '');
