import { CRDS } from '../../shared/api/custom-resources/crds.ts';
import { ANNOTATIONS, FINALIZERS, TAINTS } from '../../shared/api/keys/annotations.ts';
import { CONDITIONS } from '../../shared/api/keys/conditions.ts';
import { FEATURE_GATES } from '../../shared/api/keys/feature-gates.ts';
import { LABELS } from '../../shared/api/keys/labels.ts';
import { EVENT_REASONS } from '../../shared/model/explanations/event-reasons.ts';
import { METRICS } from '../../shared/model/metrics/metrics.ts';
import { DEFAULT_GATES } from '../../shared/model/settings.ts';
import { FIXED_SETTINGS, SETTINGS } from '../../shared/settings/all-settings.ts';
import { listCrdFacts } from './crd-facts.ts';
import type { Fact, FactKind } from './fact.ts';
import { listOurKubeletFacts } from './kubelet-facts.ts';

const named = (kind: FactKind, names: readonly string[]): readonly Fact[] =>
  names.map((name) => ({ kind, name, value: '' }));

/** Lists the same things of Mortise, from the tables that its reference pages are made of. */
export const listOurFacts = (): readonly Fact[] => [
  ...CRDS.flatMap(listCrdFacts),
  ...listOurKubeletFacts(),
  ...FEATURE_GATES.map(
    ({ name }): Fact => ({
      kind: 'gate',
      name,
      value: String(DEFAULT_GATES[name]),
    }),
  ),
  ...named(
    'setting',
    [...SETTINGS, ...FIXED_SETTINGS].map(({ variable }) => variable),
  ),
  ...named(
    'key',
    [...LABELS, ...ANNOTATIONS, ...TAINTS, ...FINALIZERS].map(({ key }) => key),
  ),
  ...named(
    'condition',
    CONDITIONS.map(({ kind, type }) => `${kind} ${type}`),
  ),
  ...named('event', Object.keys(EVENT_REASONS)),
  ...Object.entries(METRICS).map(
    ([name, { kind, labels }]): Fact => ({
      kind: 'metric',
      name,
      value: `${kind} of ${labels.toSorted().join(', ') || 'no labels'}`,
    }),
  ),
];
