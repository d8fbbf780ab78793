import { CAPACITY_TYPE_LABEL, HOSTNAME_LABEL, NODEPOOL_LABEL, WELL_KNOWN_LABELS } from '../../model/labels.ts';
import { findNearestLabel } from '../../model/nearest-label.ts';
import type { Rule } from '../schema/schema.ts';

const PROVIDERS_PREFIX = 'karpenter.k8s.aws/';

/**
 * The labels of the AWS provider that requirements may name. The label of the class is accepted but
 * has no effect.
 */
const AWS_LABEL_KEYS: readonly string[] = [
  ...[...WELL_KNOWN_LABELS].filter((key) => key.startsWith(PROVIDERS_PREFIX)),
].toSorted();

/** Known only after a node is placed, so prices cannot depend on them. */
const OF_PLACEMENT = ['instance-tenancy', 'capacity-reservation-', 'placement-group-'].map(
  (name) => `${PROVIDERS_PREFIX}${name}`,
);

const OVERLAY_LABEL_KEYS: readonly string[] = AWS_LABEL_KEYS.filter(
  (key) => !OF_PLACEMENT.some((start) => key.startsWith(start)),
);

const OWN_DOMAIN = 'take it out, or use a domain of your own';

/** The fix for a misspelt key of the autoscaler. */
function writeNearest(key: unknown): string | undefined {
  const nearest = typeof key === 'string' ? findNearestLabel(key) : undefined;
  return nearest === undefined ? undefined : `write ${nearest}`;
}

/** A CEL condition: the key is in one of the autoscaler's own domains, and not one of `known`. */
const reserved = (id: string, domain: string, knownKeys: readonly string[], why: string): KeyRule => ({
  id,
  // Matches everything before the first slash, and a suffix without a dot before it, because
  // Karpenter's rule does so too: both must refuse the same keys.
  cel: (key) =>
    `${key} in [${knownKeys.map((name) => `'${name}'`).join(', ')}] || !${key}.matches('^[^/]*${domain.replaceAll('.', '[.]')}(/|$)')`,
  why,
  fix: OWN_DOMAIN,
  fixOf: (key) => writeNearest(key),
});

/** A condition on a label key. */
interface KeyRule extends Omit<Rule, 'cel'> {
  cel(key: string): string;
}

const AUTOSCALERS = reserved(
  'LBL-1',
  'karpenter.sh',
  [CAPACITY_TYPE_LABEL, NODEPOOL_LABEL],
  'karpenter.sh is a domain of the autoscaler',
);

const POOLS_OWN: KeyRule = {
  id: 'LBL-2',
  cel: (key) => `${key} != '${NODEPOOL_LABEL}'`,
  why: 'every node is labelled with its NodePool anyway',
  fix: OWN_DOMAIN,
};

const KUBELETS: KeyRule = {
  id: 'LBL-3',
  cel: (key) => `${key} != '${HOSTNAME_LABEL}'`,
  why: 'the kubelet sets the host name, node by node',
  fix: 'take it out',
};

const providers = (knownKeys: readonly string[]): KeyRule =>
  reserved('LBL-4', 'karpenter.k8s.aws', knownKeys, 'karpenter.k8s.aws has well-known labels only, and this is none');

const RULES: Readonly<Record<'NodePool' | 'NodeClaim' | 'NodeOverlay', readonly KeyRule[]>> = {
  NodePool: [AUTOSCALERS, POOLS_OWN, KUBELETS, providers(AWS_LABEL_KEYS)],
  NodeClaim: [AUTOSCALERS, KUBELETS, providers(AWS_LABEL_KEYS)],
  NodeOverlay: [AUTOSCALERS, KUBELETS, providers(OVERLAY_LABEL_KEYS)],
};

/** Returns the rules for the keys of requirements on objects of `kind`. */
export const keyRules = (kind: keyof typeof RULES): readonly Rule[] =>
  RULES[kind].map(({ cel, ...rule }) => ({ ...rule, cel: cel('self') }));

/** Returns the rules for the label map of a NodePool. */
export const labelRules: readonly Rule[] = RULES.NodePool.map(({ cel, ...rule }) => ({
  ...rule,
  cel: `self.all(key, ${cel('key')})`,
}));
