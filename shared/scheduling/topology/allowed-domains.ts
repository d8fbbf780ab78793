import { WELL_KNOWN_LABELS } from '../../model/labels.ts';
import { allowsAbsence, allowsValue } from '../../model/requirements/requirement.ts';
import type { Relaxation } from '../pods/relaxations.ts';
import { hasPodsAnywhere } from './host-rules.ts';
import type { ClassTopology, TopologyGroup } from './topology.ts';

/** The hourly price of a pod on a new node in a domain. */
export type UsdIn = (key: string, domain: string) => number;

/**
 * Returns a function that lists the domains of a key that all rules allow with the current counts:
 * least loaded first, then by price for pods that spread or start an affinity group, then by name.
 * Pods that only join an affinity group are ordered by name, so that they stay together. Nodes without
 * the key come last, where kube-scheduler allows them.
 */
export function createAllowedDomains(
  key: string,
  rules: ClassTopology,
  relaxation: Relaxation,
  usdIn: UsdIn,
): () => readonly (string | undefined)[] {
  const owned = rules.owned.filter(({ group }) => group.key === key);
  const barringGroups = rules.barredBy.filter((group) => group.key === key);
  const countingGroups = rules.countedBy.filter((group) => group.key === key);
  const requirement = relaxation.requirements.get(key);
  const knownDomains = new Set(
    [...owned.map(({ group }) => group), ...countingGroups].flatMap((group) => group.domains),
  );
  const reachable = [...knownDomains].filter((domain) => !requirement || allowsValue(requirement, domain));
  const countPresent = (domain: string) =>
    owned.reduce((total, { group }) => total + (group.counts.get(domain) ?? 0), 0);

  const withoutKey = allowsNodesWithoutKey(key, owned, relaxation) ? [undefined] : [];

  return () => {
    const ruleChecks = owned.map((one) => createRuleCheck(one, relaxation));
    const domains = reachable.filter(
      (domain) =>
        barringGroups.every((group) => (group.owners.get(domain) ?? 0) === 0) &&
        ruleChecks.every((isPermitted) => isPermitted(domain)),
    );
    if (domains.length < 2) return [...domains, ...withoutKey];
    const price = owned.some(isOrderedByPrice) ? (domain: string) => usdIn(key, domain) : () => 0;
    const sorted = domains.toSorted(
      (a, b) => countPresent(a) - countPresent(b) || compareNumbers(price(a), price(b)) || (a < b ? -1 : 1),
    );
    return [...sorted, ...withoutKey];
  };
}

/**
 * True if nodes without the key may take the pod: anti-affinity, of the pod or of others, does not
 * apply there, while affinity and spreads need the key. All our nodes have the well-known keys.
 *
 * @see kube-scheduler, InterPodAffinity
 */
const allowsNodesWithoutKey = (key: string, owned: ClassTopology['owned'], { requirements }: Relaxation): boolean => {
  const requirement = requirements.get(key);
  return (
    !WELL_KNOWN_LABELS.has(key) &&
    owned.every(({ group }) => group.kind === 'anti-affinity') &&
    (!requirement || allowsAbsence(requirement))
  );
};

type OwnedRule = ClassTopology['owned'][number];

const isOrderedByPrice = ({ group, selectsSelf }: OwnedRule): boolean =>
  (group.kind === 'spread' && selectsSelf) || (group.kind === 'affinity' && !hasPodsAnywhere(group));

/** Both prices may be Infinity; subtracting them would give NaN. */
const compareNumbers = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);

/** Creates the check of one rule, with the counts at the time of the call. */
function createRuleCheck({ group, selectsSelf }: OwnedRule, relaxation: Relaxation): (domain: string) => boolean {
  const countIn = (domain: string) => group.counts.get(domain) ?? 0;
  switch (group.kind) {
    case 'spread': {
      const maxCount = group.maxSkew + findMinCount(group, relaxation) - (selectsSelf ? 1 : 0);
      return (domain) => countIn(domain) <= maxCount;
    }
    case 'anti-affinity':
      return (domain) => countIn(domain) === 0;
    case 'affinity': {
      const mayStart = selectsSelf && mayStartGroup(group, relaxation);
      return (domain) => mayStart || countIn(domain) > (group.leaving.get(domain) ?? 0);
    }
  }
}

/**
 * Computes the smallest pod count among the domains that the pod can reach.
 *
 * @see kube-scheduler: with fewer eligible domains than minDomains the minimum is 0
 */
export function findMinCount(group: TopologyGroup, relaxation: Relaxation): number {
  const eligible = group.domains.filter((domain) => canReach(relaxation, group.key, domain));
  if (eligible.length < group.minDomains || eligible.length === 0) return 0;
  return Math.min(...eligible.map((domain) => group.counts.get(domain) ?? 0));
}

/**
 * The first pod of a self-affine group may choose any domain if no pod that it could join is in a
 * reachable domain.
 */
function mayStartGroup({ key, counts }: TopologyGroup, relaxation: Relaxation): boolean {
  for (const [domain, count] of counts) {
    if (count > 0 && canReach(relaxation, key, domain)) return false;
  }
  return true;
}

/**
 * True if any required node term of the pod allows the domain, not only the term of this
 * relaxation.
 */
const canReach = ({ anyOf }: Relaxation, key: string, domain: string): boolean =>
  anyOf.some((term) => {
    const requirement = term.get(key);
    return !requirement || allowsValue(requirement, domain);
  });
