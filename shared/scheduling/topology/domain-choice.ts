import { HOSTNAME_LABEL, WELL_KNOWN_LABELS } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import { allowsAbsence, allowsValue } from '../../model/requirements/requirement.ts';
import type { WorkMeter } from '../data-structures/work-meter.ts';
import type { Relaxation } from '../pods/relaxations.ts';
import { hasPodsAnywhere, recordPods } from './host-rules.ts';
import type { ClassTopology, TopologyGroup } from './topology.ts';

/** The topology domain chosen for each topology key; `undefined` for nodes without the key. */
export type TopologyDomains = ReadonlyMap<string, string | undefined>;

/** Decides in which topology domains the next pods of a class may be placed. */
export interface DomainChoice {
  /**
   * True if the pods spread over several keys at once: choosing a domain of one key may rule out
   * domains of another.
   */
  readonly isCoupled: boolean;
  /**
   * Lists the combinations of domains that every rule allows with the current counts, the best
   * first.
   */
  candidates(): readonly TopologyDomains[];
  /**
   * Returns how many of the remaining pods may take the same combination before the candidates have
   * to be computed again.
   */
  batch(remainingPods: number): number;
  record(topologyDomains: TopologyDomains, pods: number): void;
}

type UsdIn = (key: string, domain: string) => number;

const NO_TOPOLOGY_DOMAINS: TopologyDomains = new Map();

/**
 * Creates the domain choice of a class for its topology keys other than the hostname; each host is
 * its own domain, so hostname rules are checked node by node. Pods that rules of other classes
 * count also get a domain: a pod without a known domain cannot be counted and would block those
 * classes.
 *
 * @param usdByZone - hourly price of a pod on a new node in a domain; among equally loaded domains the
 *   cheapest comes first
 * @param work - counts the domains and combinations that are compared
 */
export function createDomainChoice(
  rules: ClassTopology,
  relaxation: Relaxation,
  usdIn: UsdIn,
  { spend }: WorkMeter,
): DomainChoice {
  const keys = listKeysToChoose(rules);
  if (keys.length === 0) return ANYWHERE;
  const movesWithEachPod = rules.owned.some(
    ({ group }) => group.key !== HOSTNAME_LABEL && group.kind !== 'affinity',
  );
  const isSpreadOver = (key: string) =>
    rules.owned.some(({ group }) => group.kind === 'spread' && group.key === key);
  const usdOf = memoizePrices(usdIn);
  const choices = keys.map((key) => ({
    key,
    domainCount: countDomains(key, rules),
    allowed: createAllowedDomains(key, rules, relaxation, usdOf),
  }));
  return {
    isCoupled: keys.filter(isSpreadOver).length > 1,
    candidates: () => listCombinations(choices, spend),
    batch: (remainingPods) => (movesWithEachPod ? 1 : remainingPods),
    record(topologyDomains, pods) {
      for (const [key, domain] of topologyDomains)
        if (domain !== undefined) recordPods(rules, key, domain, pods);
    },
  };
}

/** The choice for pods whose domain no rule constrains or counts. */
const ANYWHERE: DomainChoice = {
  isCoupled: false,
  candidates: () => [NO_TOPOLOGY_DOMAINS],
  batch: (remainingPods) => remainingPods,
  record() {},
};

function listKeysToChoose({ owned, countedBy, barredBy }: ClassTopology): readonly string[] {
  const keys = new Set<string>();
  for (const { group } of owned) keys.add(group.key);
  for (const { key, domains, isSoft } of countedBy) {
    // Nodes may lack a user-defined label, so pods that are only counted by such a key need no
    // domain.
    if (!isSoft && WELL_KNOWN_LABELS.has(key) && domains.length > 0) keys.add(key);
  }
  // kube-scheduler ignores anti-affinity on nodes without the key, so a key that no node has or will
  // have keeps no pod away.
  for (const { key, domains } of barredBy) if (domains.length > 0) keys.add(key);
  keys.delete(HOSTNAME_LABEL);
  return [...keys];
}

/** Caches prices, because the candidates of a spread are computed again after each pod. */
function memoizePrices(usdIn: UsdIn): UsdIn {
  const prices = new Map<string, number>();
  return (key, domain) => {
    const cacheKey = `${key}=${domain}`;
    return getOrCreate(prices, cacheKey, () => usdIn(key, domain));
  };
}

/** The domains of all rules on the key together. */
const countDomains = (key: string, { owned, countedBy }: ClassTopology): number => {
  let count = 1;
  for (const { group } of owned) if (group.key === key) count += group.domains.length;
  for (const group of countedBy) if (group.key === key) count += group.domains.length;
  return count;
};

/** Each is a map of its own. */
const OPERATIONS_PER_COMBINATION = 10;

interface KeyChoice {
  readonly key: string;
  /** The number of domains that each list is chosen from. */
  readonly domainCount: number;
  readonly allowed: () => readonly (string | undefined)[];
}

function listCombinations(
  choices: readonly KeyChoice[],
  spend: WorkMeter['spend'],
): TopologyDomains[] {
  let combined: TopologyDomains[] = [NO_TOPOLOGY_DOMAINS];
  for (const { key, allowed, domainCount } of choices) {
    spend(domainCount);
    const domains = allowed();
    // Before the list is made: a few keys with many values have millions of combinations.
    spend(OPERATIONS_PER_COMBINATION * combined.length * domains.length);
    combined = combined.flatMap((topologyDomains) =>
      domains.map((domain) => new Map([...topologyDomains, [key, domain]])),
    );
  }
  return combined;
}

/**
 * Returns a function that lists the domains of a key that all rules allow with the current counts:
 * least loaded first, then by price for pods that spread or start an affinity group, then by name.
 * Pods that only join an affinity group are ordered by name, so that they stay together. Nodes without
 * the key come last, where kube-scheduler allows them.
 */
function createAllowedDomains(
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
  const reachable = [...knownDomains].filter(
    (domain) => !requirement || allowsValue(requirement, domain),
  );
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
      (a, b) =>
        countPresent(a) - countPresent(b) || compareNumbers(price(a), price(b)) || (a < b ? -1 : 1),
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
const allowsNodesWithoutKey = (
  key: string,
  owned: ClassTopology['owned'],
  { requirements }: Relaxation,
): boolean => {
  const requirement = requirements.get(key);
  return (
    !WELL_KNOWN_LABELS.has(key) &&
    owned.every(({ group }) => group.kind === 'anti-affinity') &&
    (!requirement || allowsAbsence(requirement))
  );
};

type OwnedRule = ClassTopology['owned'][number];

const isOrderedByPrice = ({ group, selectsSelf }: OwnedRule): boolean =>
  (group.kind === 'spread' && selectsSelf) ||
  (group.kind === 'affinity' && !hasPodsAnywhere(group));

/** Both prices may be Infinity; subtracting them would give NaN. */
const compareNumbers = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);

/** Creates the check of one rule, with the counts at the time of the call. */
function createRuleCheck(
  { group, selectsSelf }: OwnedRule,
  relaxation: Relaxation,
): (domain: string) => boolean {
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

/**
 * Limit of the search per placed pod: dead ends show within a few pods, and the first candidate is
 * usually right.
 */
const MAX_STEPS = 200;

/**
 * Returns the candidates after which the most pods can still be placed. Two spreads at once lead
 * into dead ends: the zone that is due may not offer the capacity type that is due.
 *
 * @param isPossible - true if an existing or new node can be in these domains
 * @param lookAhead - number of pods to look ahead
 */
export function findLeadingCandidates(
  candidates: readonly TopologyDomains[],
  choice: DomainChoice,
  isPossible: (topologyDomains: TopologyDomains) => boolean,
  lookAhead: number,
): readonly TopologyDomains[] {
  const search: LookAheadSearch = { choice, isPossible, stepsLeft: MAX_STEPS };
  const possible = candidates.filter(isPossible);
  const followerCounts = possible.map((topologyDomains) =>
    countFollowers(search, topologyDomains, lookAhead),
  );
  const maxCount = Math.max(...followerCounts);
  return possible.filter((_, index) => followerCounts[index] === maxCount);
}

interface LookAheadSearch {
  readonly choice: DomainChoice;
  readonly isPossible: (topologyDomains: TopologyDomains) => boolean;
  stepsLeft: number;
}

/** Counts how many more pods, up to `lookAhead`, can be placed after a pod in `topologyDomains`. */
function countFollowers(
  search: LookAheadSearch,
  topologyDomains: TopologyDomains,
  lookAhead: number,
): number {
  const { choice, isPossible } = search;
  if (lookAhead === 0) return 0;
  search.stepsLeft -= 1;
  choice.record(topologyDomains, 1);
  let maxCount = 0;
  // The counts must be right even if the work limit ends the search.
  try {
    for (const next of choice.candidates()) {
      if (maxCount === lookAhead || search.stepsLeft < 0) break;
      if (isPossible(next))
        maxCount = Math.max(maxCount, 1 + countFollowers(search, next, lookAhead - 1));
    }
  } finally {
    choice.record(topologyDomains, -1);
  }
  return maxCount;
}
