import { HOSTNAME_LABEL, WELL_KNOWN_LABELS } from '../../model/labels.ts';
import { allowsValue } from '../../model/requirement.ts';
import type { Pins } from '../assignment/pod-groups.ts';
import type { Alternative } from '../pods/relaxations.ts';
import { isAnywhere, recordOn } from './host-rules.ts';
import type { ClassTopology, TopologyGroup } from './topology.ts';

/** Which domains the next pods of a class may go to. */
export interface DomainChoice {
  /** Pods spread over several keys at once: a domain of one may bar those of another. */
  readonly isCoupled: boolean;
  /** Combinations of domains that every rule allows now, the best first. */
  candidates(): readonly Pins[];
  /** How many pods may follow one another into one combination without looking again. */
  batch(left: number): number;
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
export function domainChoice(
  rules: ClassTopology,
  alternative: Alternative,
  usdIn: UsdIn,
): DomainChoice {
  const keys = keysToChoose(rules);
  if (keys.length === 0) return ANYWHERE;
  const movesWithEachPod = rules.owned.some(
    ({ group }) => group.key !== HOSTNAME_LABEL && group.kind !== 'affinity',
  );
  const isSpreadOver = (key: string) =>
    rules.owned.some(({ group }) => group.kind === 'spread' && group.key === key);
  const usdOf = remembering(usdIn);
  const choices = keys.map((key) => ({ key, allowed: allowedIn(key, rules, alternative, usdOf) }));
  return {
    isCoupled: keys.filter(isSpreadOver).length > 1,
    candidates: () => combinations(choices),
    batch: (left) => (movesWithEachPod ? 1 : left),
    record(pins, pods) {
      for (const [key, domain] of pins) recordOn(rules, key, domain, pods);
    },
  };
}

/** For pods whose domain matters to nobody. */
const ANYWHERE: DomainChoice = {
  isCoupled: false,
  candidates: () => [NO_PINS],
  batch: (left) => left,
  record() {},
};

function keysToChoose({ owned, countedBy, barredBy }: ClassTopology): readonly string[] {
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
function remembering(usdIn: UsdIn): UsdIn {
  const known = new Map<string, number>();
  return (key, domain) => {
    const place = `${key}=${domain}`;
    const usd = known.get(place) ?? usdIn(key, domain);
    known.set(place, usd);
    return usd;
  };
}

interface KeyChoice {
  readonly key: string;
  readonly allowed: () => readonly string[];
}

function combinations(choices: readonly KeyChoice[]): Pins[] {
  let all: Pins[] = [NO_PINS];
  for (const { key, allowed } of choices) {
    const domains = allowed();
    all = all.flatMap((pins) => domains.map((domain) => new Map([...pins, [key, domain]])));
  }
  return all;
}

/**
 * Tells, as often as it is asked, the domains of a key that all rules allow by then: emptiest first,
 * then by price for those who found a domain or have to leave some out, then by name. Pods that only
 * have to follow others stay together by name.
 */
function allowedIn(
  key: string,
  rules: ClassTopology,
  alternative: Alternative,
  usdIn: UsdIn,
): () => string[] {
  const owned = rules.owned.filter(({ group }) => group.key === key);
  const barring = rules.barredBy.filter((group) => group.key === key);
  const counting = rules.countedBy.filter((group) => group.key === key);
  const wanted = alternative.requirements.get(key);
  const known = new Set(
    [...owned.map(({ group }) => group), ...counting].flatMap((group) => group.domains),
  );
  const wantedOnes = [...known].filter((domain) => !wanted || allowsValue(wanted, domain));
  const load = (domain: string) =>
    owned.reduce((total, { group }) => total + (group.counts.get(domain) ?? 0), 0);

  return () => {
    const permits = owned.map((one) => permitOf(one, alternative));
    const domains = wantedOnes.filter(
      (domain) =>
        barring.every((group) => (group.owners.get(domain) ?? 0) === 0) &&
        permits.every((isPermitted) => isPermitted(domain)),
    );
    if (domains.length < 2) return domains;
    const price = owned.some(goesByPrice) ? (domain: string) => usdIn(key, domain) : () => 0;
    return domains.toSorted(
      (a, b) => load(a) - load(b) || compare(price(a), price(b)) || (a < b ? -1 : 1),
    );
  };
}

type Owned = ClassTopology['owned'][number];

const goesByPrice = ({ group, selectsSelf }: Owned): boolean =>
  (group.kind === 'spread' && selectsSelf) || (group.kind === 'affinity' && !isAnywhere(group));

/** Prices may both be Infinity, whose difference is no number. */
const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);

/** Which domains one rule allows, as the counts are now. */
function permitOf(
  { group, selectsSelf }: Owned,
  alternative: Alternative,
): (domain: string) => boolean {
  const present = (domain: string) => group.counts.get(domain) ?? 0;
  switch (group.kind) {
    case 'spread': {
      const most = group.maxSkew + leastCount(group, alternative) - (selectsSelf ? 1 : 0);
      return (domain) => present(domain) <= most;
    }
    case 'anti-affinity':
      return (domain) => present(domain) === 0;
    case 'affinity': {
      const isFree = selectsSelf && mayFound(group, alternative);
      return (domain) => isFree || present(domain) > 0;
    }
  }
}

/** @see kube-scheduler: fewer domains than minDomains count as one that is empty */
export function leastCount(group: TopologyGroup, alternative: Alternative): number {
  const eligible = group.domains.filter((domain) => mayReach(alternative, group.key, domain));
  if (eligible.length < group.minDomains || eligible.length === 0) return 0;
  return Math.min(...eligible.map((domain) => group.counts.get(domain) ?? 0));
}

/** The first pod of a self-affine group may choose, if no other it could join is within reach. */
function mayFound({ key, counts }: TopologyGroup, alternative: Alternative): boolean {
  for (const [domain, count] of counts) {
    if (count > 0 && mayReach(alternative, key, domain)) return false;
  }
  return true;
}

/** Whether any of the pod's required terms lets it into the domain, whichever is tried now. */
const mayReach = ({ anyOf }: Alternative, key: string, domain: string): boolean =>
  anyOf.some((term) => {
    const wanted = term.get(key);
    return !wanted || allowsValue(wanted, domain);
  });

/** Looked at per pod: a dead end shows within a few pods, and most first guesses are right. */
const MAX_STEPS = 200;

/**
 * Those of the combinations after which most pods can follow. Two spreads at once lead into dead
 * ends: the zone that is due may not have the capacity type that is.
 *
 * @param isPossible - whether any node, running or to launch, can be in these domains
 * @param ahead - how many pods to look ahead
 */
export function leadingOn(
  candidates: readonly Pins[],
  choice: DomainChoice,
  isPossible: (pins: Pins) => boolean,
  ahead: number,
): readonly Pins[] {
  const search: Search = { choice, isPossible, stepsLeft: MAX_STEPS };
  const possible = candidates.filter(isPossible);
  const follow = possible.map((pins) => followers(search, pins, ahead));
  const most = Math.max(...follow);
  return possible.filter((_, index) => follow[index] === most);
}

interface Search {
  readonly choice: DomainChoice;
  readonly isPossible: (pins: Pins) => boolean;
  stepsLeft: number;
}

/** How many more pods, up to `ahead`, find a place once one went to `pins`. */
function followers(search: Search, pins: Pins, ahead: number): number {
  const { choice, isPossible } = search;
  if (ahead === 0) return 0;
  search.stepsLeft -= 1;
  choice.record(pins, 1);
  let most = 0;
  for (const next of choice.candidates()) {
    if (most === ahead || search.stepsLeft < 0) break;
    if (isPossible(next)) most = Math.max(most, 1 + followers(search, next, ahead - 1));
  }
  choice.record(pins, -1);
  return most;
}
