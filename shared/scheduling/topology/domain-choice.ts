import { HOSTNAME_LABEL, WELL_KNOWN_LABELS } from '../../model/labels.ts';
import { allowsValue } from '../../model/requirements/requirement.ts';
import type { Relaxation } from '../pods/relaxations.ts';
import { hasPodsAnywhere, recordPods } from './host-rules.ts';
import type { ClassTopology, TopologyGroup } from './topology.ts';

/** Topology domains that were chosen, by key. */
export type Pins = ReadonlyMap<string, string>;

/** Which domains the next pods of a class may go to. */
export interface DomainChoice {
  /** Pods spread over several keys at once: a domain of one may bar those of another. */
  readonly isCoupled: boolean;
  /** Combinations of domains that every rule allows now, the best first. */
  candidates(): readonly Pins[];
  /** How many pods may follow one another into one combination without looking again. */
  batch(remainingPods: number): number;
  record(pins: Pins, pods: number): void;
}

type UsdIn = (key: string, domain: string) => number;

const NO_PINS: Pins = new Map();

/**
 * Domains are chosen for keys other than the hostname: each host is its own domain, so those rules
 * are looked at bin by bin. A class that others count gets a domain too: a pod whose domain is open
 * cannot be counted, and would block or upset the others.
 *
 * @param usdIn - what a pod costs on a new node in a domain of a key: of equally empty domains the
 *   cheapest is taken
 */
export function createDomainChoice(
  rules: ClassTopology,
  relaxation: Relaxation,
  usdIn: UsdIn,
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
    allowed: createAllowedDomains(key, rules, relaxation, usdOf),
  }));
  return {
    isCoupled: keys.filter(isSpreadOver).length > 1,
    candidates: () => listCombinations(choices),
    batch: (remainingPods) => (movesWithEachPod ? 1 : remainingPods),
    record(pins, pods) {
      for (const [key, domain] of pins) recordPods(rules, key, domain, pods);
    },
  };
}

/** For pods whose domain matters to nobody. */
const ANYWHERE: DomainChoice = {
  isCoupled: false,
  candidates: () => [NO_PINS],
  batch: (remainingPods) => remainingPods,
  record() {},
};

function listKeysToChoose({ owned, countedBy, barredBy }: ClassTopology): readonly string[] {
  const keys = new Set<string>();
  for (const { group } of owned) keys.add(group.key);
  for (const { key, domains, isSoft } of countedBy) {
    // Nodes may lack a key of the user's own: who only is counted there may go uncounted.
    if (!isSoft && WELL_KNOWN_LABELS.has(key) && domains.length > 0) keys.add(key);
  }
  for (const { key } of barredBy) keys.add(key);
  keys.delete(HOSTNAME_LABEL);
  return [...keys];
}

/** Pods that move on with each pod are asked about again and again. */
function memoizePrices(usdIn: UsdIn): UsdIn {
  const cached = new Map<string, number>();
  return (key, domain) => {
    const cacheKey = `${key}=${domain}`;
    const usd = cached.get(cacheKey) ?? usdIn(key, domain);
    cached.set(cacheKey, usd);
    return usd;
  };
}

interface KeyChoice {
  readonly key: string;
  readonly allowed: () => readonly string[];
}

function listCombinations(choices: readonly KeyChoice[]): Pins[] {
  let combined: Pins[] = [NO_PINS];
  for (const { key, allowed } of choices) {
    const domains = allowed();
    combined = combined.flatMap((pins) =>
      domains.map((domain) => new Map([...pins, [key, domain]])),
    );
  }
  return combined;
}

/**
 * Tells, as often as it is asked, the domains of a key that all rules allow by then: emptiest first,
 * then by price for those who found a domain or have to leave some out, then by name. Pods that only
 * have to follow others stay together by name.
 */
function createAllowedDomains(
  key: string,
  rules: ClassTopology,
  relaxation: Relaxation,
  usdIn: UsdIn,
): () => string[] {
  const owned = rules.owned.filter(({ group }) => group.key === key);
  const barringGroups = rules.barredBy.filter((group) => group.key === key);
  const countingGroups = rules.countedBy.filter((group) => group.key === key);
  const requirement = relaxation.requirements.get(key);
  const cached = new Set(
    [...owned.map(({ group }) => group), ...countingGroups].flatMap((group) => group.domains),
  );
  const reachable = [...cached].filter(
    (domain) => !requirement || allowsValue(requirement, domain),
  );
  const countPresent = (domain: string) =>
    owned.reduce((total, { group }) => total + (group.counts.get(domain) ?? 0), 0);

  return () => {
    const isPermittedByRule = owned.map((one) => createRuleCheck(one, relaxation));
    const domains = reachable.filter(
      (domain) =>
        barringGroups.every((group) => (group.owners.get(domain) ?? 0) === 0) &&
        isPermittedByRule.every((isPermitted) => isPermitted(domain)),
    );
    if (domains.length < 2) return domains;
    const price = owned.some(isOrderedByPrice) ? (domain: string) => usdIn(key, domain) : () => 0;
    return domains.toSorted(
      (a, b) =>
        countPresent(a) - countPresent(b) || compareNumbers(price(a), price(b)) || (a < b ? -1 : 1),
    );
  };
}

type OwnedRule = ClassTopology['owned'][number];

const isOrderedByPrice = ({ group, selectsSelf }: OwnedRule): boolean =>
  (group.kind === 'spread' && selectsSelf) ||
  (group.kind === 'affinity' && !hasPodsAnywhere(group));

/** Prices may both be Infinity, whose difference is no number. */
const compareNumbers = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);

/** Which domains one rule allows, as the counts are now. */
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
      return (domain) => mayStart || countIn(domain) > 0;
    }
  }
}

/** @see kube-scheduler: fewer domains than minDomains count as one that is empty */
export function findMinCount(group: TopologyGroup, relaxation: Relaxation): number {
  const eligible = group.domains.filter((domain) => canReach(relaxation, group.key, domain));
  if (eligible.length < group.minDomains || eligible.length === 0) return 0;
  return Math.min(...eligible.map((domain) => group.counts.get(domain) ?? 0));
}

/** The first pod of a self-affine group may choose, if no other it could join is within reach. */
function mayStartGroup({ key, counts }: TopologyGroup, relaxation: Relaxation): boolean {
  for (const [domain, count] of counts) {
    if (count > 0 && canReach(relaxation, key, domain)) return false;
  }
  return true;
}

/** Whether any of the pod's required terms lets it into the domain, whichever is tried now. */
const canReach = ({ anyOf }: Relaxation, key: string, domain: string): boolean =>
  anyOf.some((term) => {
    const requirement = term.get(key);
    return !requirement || allowsValue(requirement, domain);
  });

/** Looked at per pod: a dead end shows within a few pods, and most first guesses are right. */
const MAX_STEPS = 200;

/**
 * Those of the combinations after which most pods can follow. Two spreads at once lead into dead
 * ends: the zone that is due may not have the capacity type that is.
 *
 * @param isPossible - whether any node, running or to launch, can be in these domains
 * @param lookAhead - how many pods to look ahead
 */
export function findLeadingCandidates(
  candidates: readonly Pins[],
  choice: DomainChoice,
  isPossible: (pins: Pins) => boolean,
  lookAhead: number,
): readonly Pins[] {
  const search: LookAheadSearch = { choice, isPossible, stepsLeft: MAX_STEPS };
  const possible = candidates.filter(isPossible);
  const followerCounts = possible.map((pins) => countFollowers(search, pins, lookAhead));
  const maxCount = Math.max(...followerCounts);
  return possible.filter((_, index) => followerCounts[index] === maxCount);
}

interface LookAheadSearch {
  readonly choice: DomainChoice;
  readonly isPossible: (pins: Pins) => boolean;
  stepsLeft: number;
}

/** How many more pods, up to `ahead`, find a place once one went to `pins`. */
function countFollowers(search: LookAheadSearch, pins: Pins, lookAhead: number): number {
  const { choice, isPossible } = search;
  if (lookAhead === 0) return 0;
  search.stepsLeft -= 1;
  choice.record(pins, 1);
  let maxCount = 0;
  for (const next of choice.candidates()) {
    if (maxCount === lookAhead || search.stepsLeft < 0) break;
    if (isPossible(next))
      maxCount = Math.max(maxCount, 1 + countFollowers(search, next, lookAhead - 1));
  }
  choice.record(pins, -1);
  return maxCount;
}
