import type { PodClassModel } from './pod-class-models.ts';
import type { TrackedRule } from './pod-preferences.ts';
import type { TopologyCounter } from './simulated-cluster.ts';

/**
 * A topology rule as a range: how many counted pods the domain of a node must have, and may have.
 */
export interface TopologyFilter {
  readonly domainOf: Int32Array;
  readonly podsByDomain: Int32Array;
  readonly atLeast: number;
  readonly atMost: number;
  /** True if nodes without the topology label pass. */
  readonly acceptsNodesWithoutDomain: boolean;
}

/** The counts of all tracked rules: by index of the rule, then by index of the domain. */
export interface TopologyCounts {
  readonly counters: readonly TopologyCounter[];
  readonly counts: readonly Int32Array[];
  readonly owners: readonly Int32Array[];
}

/**
 * Builds the filters that spread, affinity and anti-affinity impose on the next pod of the class.
 */
export function buildTopologyFilters(
  model: PodClassModel,
  counts: TopologyCounts,
): readonly TopologyFilter[] {
  if (model.owned.length === 0 && model.barredBy.length === 0) return NO_FILTERS;
  const filters: TopologyFilter[] = [];
  for (const { counted, selectsSelf } of model.owned) {
    const filter = buildOwnFilter(counted, selectsSelf, model, counts);
    if (filter) filters.push(filter);
  }
  for (const counted of model.barredBy) {
    const filter = excludeOccupiedDomains(counted, counts, 'owners');
    if (filter) filters.push(filter);
  }
  return filters;
}

const NO_FILTERS: readonly TopologyFilter[] = [];

export function passesAll(filters: readonly TopologyFilter[], node: number): boolean {
  for (const { domainOf, podsByDomain, atLeast, atMost, acceptsNodesWithoutDomain } of filters) {
    const domain = domainOf[node] ?? -1;
    if (domain < 0) {
      if (!acceptsNodesWithoutDomain) return false;
      continue;
    }
    const count = podsByDomain[domain] ?? 0;
    if (count < atLeast || count > atMost) return false;
  }
  return true;
}

/** Allows only nodes whose domain has no counted pod, and nodes without the topology label. */
function excludeOccupiedDomains(
  { number }: TrackedRule,
  counts: TopologyCounts,
  counted: 'counts' | 'owners',
): TopologyFilter | undefined {
  const domainOf = counts.counters[number]?.domainOf;
  const podsByDomain = counts[counted][number];
  if (!domainOf || !podsByDomain) return undefined;
  return { domainOf, podsByDomain, atLeast: 0, atMost: 0, acceptsNodesWithoutDomain: true };
}

function buildOwnFilter(
  counted: TrackedRule,
  selectsSelf: boolean,
  { owned }: PodClassModel,
  counts: TopologyCounts,
): TopologyFilter | undefined {
  const { rule, number } = counted;
  const counter = counts.counters[number];
  const podsByDomain = counts.counts[number];
  if (!counter || !podsByDomain) return undefined;
  const domain = { domainOf: counter.domainOf, podsByDomain, acceptsNodesWithoutDomain: false };
  switch (rule.kind) {
    case 'spread': {
      const atMost = rule.maxSkew + findMinCount(counter, podsByDomain) - (selectsSelf ? 1 : 0);
      return { ...domain, atLeast: 0, atMost };
    }
    case 'anti-affinity':
      return excludeOccupiedDomains(counted, counts, 'counts');
    case 'affinity': {
      const isFirst =
        !counter.hasPodsElsewhere && selectsItself(owned) && podsByDomain.every((one) => one === 0);
      return { ...domain, atLeast: isFirst ? 0 : 1, atMost: Infinity };
    }
  }
}

function findMinCount({ presentDomains, rule }: TopologyCounter, podsByDomain: Int32Array): number {
  if (presentDomains.length < Math.max(1, rule.minDomains)) return 0;
  let min = Infinity;
  for (const domain of presentDomains) min = Math.min(min, podsByDomain[domain] ?? 0);
  return min;
}

const selectsItself = (owned: PodClassModel['owned']): boolean =>
  owned.every(({ counted, selectsSelf }) => counted.rule.kind !== 'affinity' || selectsSelf);
