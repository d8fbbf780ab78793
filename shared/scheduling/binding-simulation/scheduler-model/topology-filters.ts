import type { PodClassModel } from './pod-class-models.ts';
import type { TrackedRule } from './pod-preferences.ts';
import type { TopologyCounter } from './simulated-cluster.ts';

/**
 * A topology rule as a range: how many counted pods the domain of a node must have, and may have.
 */
export interface TopologyFilter {
  readonly domainOf: Int32Array;
  /** The counted pods of all rules by domain, and where the domains of this rule begin. */
  readonly podsByDomain: Int32Array;
  readonly firstDomain: number;
  readonly atLeast: number;
  readonly atMost: number;
  /** True if nodes without the topology label pass. */
  readonly acceptsNodesWithoutDomain: boolean;
}

/** The counts of all tracked rules: a counter knows where the domains of its rule begin. */
export interface TopologyCounts {
  readonly counters: readonly TopologyCounter[];
  readonly counts: Int32Array;
  readonly owners: Int32Array;
}

/** The same object inside this file, where it may be written. */
interface MutableTopologyFilter extends TopologyFilter {
  atLeast: number;
  atMost: number;
}

/** The filters that spread, affinity and anti-affinity impose on the pods of a class. */
export interface ClassFilters {
  readonly filters: readonly TopologyFilter[];
  /** The filters whose range depends on the pods that are bound. */
  readonly ranges: readonly CountedRange[];
}

/** A filter whose range follows the counts of a spread or affinity rule. */
interface CountedRange {
  readonly filter: MutableTopologyFilter;
  readonly counter: TopologyCounter;
  /** Spread: the most pods that a domain may have beyond the domain with the fewest. */
  readonly maxExcess: number;
  /** Affinity: true if the first pod of the class may be in any domain. */
  readonly mayBeFirst: boolean;
}

/** Builds the filters of a class once; `updateFilters` has to run before each pod. */
export function buildTopologyFilters(model: PodClassModel, counts: TopologyCounts): ClassFilters {
  if (model.owned.length === 0 && model.barredBy.length === 0) return NO_FILTERS;
  const filters: TopologyFilter[] = [];
  const ranges: CountedRange[] = [];
  for (const { counted, selectsSelf } of model.owned) {
    if (counted.rule.kind === 'anti-affinity') {
      filters.push(excludeOccupiedDomains(counted, counts, 'counts'));
      continue;
    }
    const range = createCountedRange(counted, selectsSelf, model, counts);
    filters.push(range.filter);
    ranges.push(range);
  }
  for (const counted of model.barredBy) filters.push(excludeOccupiedDomains(counted, counts, 'owners'));
  return { filters, ranges };
}

const NO_FILTERS: ClassFilters = { filters: [], ranges: [] };

/** Computes the ranges for the next pod of the class. */
export function updateFilters({ ranges }: ClassFilters): void {
  for (const { filter, counter, maxExcess, mayBeFirst } of ranges) {
    if (counter.rule.kind === 'spread') filter.atMost = maxExcess + findMinCount(counter, filter.podsByDomain);
    else filter.atLeast = mayBeFirst && hasNoPods(counter, filter.podsByDomain) ? 0 : 1;
  }
}

export function passesAll(filters: readonly TopologyFilter[], node: number): boolean {
  for (let index = 0; index < filters.length; index++) {
    const filter = filters[index];
    if (!filter) break;
    const domain = filter.domainOf[node] ?? -1;
    if (domain < 0) {
      if (!filter.acceptsNodesWithoutDomain) return false;
      continue;
    }
    const count = filter.podsByDomain[filter.firstDomain + domain] ?? 0;
    if (count < filter.atLeast || count > filter.atMost) return false;
  }
  return true;
}

/** Allows only nodes whose domain has no counted pod, and nodes without the topology label. */
const excludeOccupiedDomains = (
  { number }: TrackedRule,
  counts: TopologyCounts,
  counted: 'counts' | 'owners',
): TopologyFilter => ({
  domainOf: counts.counters[number]?.domainOf ?? NO_NODES,
  podsByDomain: counts[counted],
  firstDomain: counts.counters[number]?.firstDomain ?? 0,
  atLeast: 0,
  atMost: 0,
  acceptsNodesWithoutDomain: true,
});

const NO_NODES = new Int32Array();

function createCountedRange(
  { number }: TrackedRule,
  selectsSelf: boolean,
  { owned }: PodClassModel,
  { counters, counts }: TopologyCounts,
): CountedRange {
  const counter = counters[number];
  if (!counter) throw new RangeError(`rule ${number} is not tracked`);
  return {
    filter: {
      domainOf: counter.domainOf,
      podsByDomain: counts,
      firstDomain: counter.firstDomain,
      atLeast: 0,
      atMost: MAX_PODS,
      acceptsNodesWithoutDomain: false,
    },
    counter,
    maxExcess: counter.rule.maxSkew - (selectsSelf ? 1 : 0),
    mayBeFirst: !counter.hasPodsElsewhere && selectsItself(owned),
  };
}

/** More than any number of pods in a domain. */
const MAX_PODS = 2 ** 30;

function hasNoPods({ firstDomain, domainCount }: TopologyCounter, podsByDomain: Int32Array): boolean {
  for (let domain = firstDomain; domain < firstDomain + domainCount; domain++)
    if (podsByDomain[domain] !== 0) return false;
  return true;
}

function findMinCount({ presentDomains, firstDomain, rule }: TopologyCounter, podsByDomain: Int32Array): number {
  if (presentDomains.length < Math.max(1, rule.minDomains)) return 0;
  let min = MAX_PODS;
  for (let index = 0; index < presentDomains.length; index++)
    min = Math.min(min, podsByDomain[firstDomain + (presentDomains[index] ?? 0)] ?? 0);
  return min;
}

const selectsItself = (owned: PodClassModel['owned']): boolean =>
  owned.every(({ counted, selectsSelf }) => counted.rule.kind !== 'affinity' || selectsSelf);
