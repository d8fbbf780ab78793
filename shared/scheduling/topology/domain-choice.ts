import { HOSTNAME_LABEL, WELL_KNOWN_LABELS } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { WorkMeter } from '../data-structures/work-meter.ts';
import type { Relaxation } from '../pods/relaxations.ts';
import { createAllowedDomains, type UsdIn } from './allowed-domains.ts';
import { recordPods } from './host-rules.ts';
import type { ClassTopology } from './topology.ts';

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

const NO_TOPOLOGY_DOMAINS: TopologyDomains = new Map();

/**
 * Creates the domain choice of a class for its topology keys other than the hostname; each host is
 * its own domain, so hostname rules are checked node by node. Pods that rules of other classes
 * count also get a domain: a pod without a known domain cannot be counted and would block those
 * classes.
 *
 * @param usdIn - hourly price of a pod on a new node in a domain; among equally loaded domains the
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
  const movesWithEachPod = rules.owned.some(({ group }) => group.key !== HOSTNAME_LABEL && group.kind !== 'affinity');
  const isSpreadOver = (key: string) => rules.owned.some(({ group }) => group.kind === 'spread' && group.key === key);
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
      for (const [key, domain] of topologyDomains) if (domain !== undefined) recordPods(rules, key, domain, pods);
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

function listCombinations(choices: readonly KeyChoice[], spend: WorkMeter['spend']): TopologyDomains[] {
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
