import { HOSTNAME_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import { ownValue } from '../../model/own-value.ts';
import type { TopologySpreadConstraint } from '../../model/pods/pod.ts';
import type { SimPodClass } from '../control-plane/pod-store.ts';
import type { NodeFit } from './node-fit.ts';
import type { NodeLoad, NodeLoads } from './node-load.ts';
import { addWeighted, MAX_SCORE, type ScorePlugin } from './score-plugin.ts';
import { addPodCounts, createSpreadSelector, hasKeys, isEligible, listMatchingClasses } from './topology-spread.ts';

const SPREAD_WEIGHT = 2;

/** kube-scheduler's own constraints for pods without constraints: skews that it tolerates. */
const DEFAULT_SKEWS = [
  [HOSTNAME_LABEL, 3],
  [ZONE_LABEL, 5],
] as const;

/**
 * Scores nodes in domains with fewer matching pods higher, as the plugin PodTopologySpread does.
 *
 * @returns `undefined` if the pods have no preference
 * @see kube-scheduler 1.36, pkg/scheduler/framework/plugins/podtopologyspread/scoring.go
 */
export function createSpreadScore(podClass: SimPodClass, fit: NodeFit, loads: NodeLoads): ScorePlugin | undefined {
  const constraints = listSoftSpread(podClass);
  if (constraints.length === 0) return undefined;
  // With default constraints, nodes may lack a zone.
  const requiredKeys = podClass.spec.topologySpread.length > 0 ? constraints : [];
  const counters = constraints.map((constraint) => countDomains(podClass, fit, constraint, requiredKeys, loads));
  return {
    addScores(sums, feasible) {
      const scored = feasible.map(({ node }) => hasKeys(node, requiredKeys));
      const rawScores = new Float64Array(feasible.length);
      for (const counter of counters) addRawScores(rawScores, counter, feasible, scored);
      addWeighted(sums, SPREAD_WEIGHT, normalizeScores(rawScores.map(Math.round), scored));
    },
    add(load) {
      for (const counter of counters) counter.add(load);
    },
  };
}

function listSoftSpread({ spec, ownerLabels }: SimPodClass): readonly TopologySpreadConstraint[] {
  const { topologySpread } = spec;
  if (topologySpread.length > 0)
    return topologySpread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway');
  if (Object.keys(ownerLabels).length === 0) return [];
  return DEFAULT_SKEWS.map(([key, maxSkew]) => ({
    key,
    maxSkew,
    whenUnsatisfiable: 'ScheduleAnyway',
    selector: { matchLabels: ownerLabels, matchExpressions: [] },
    matchLabelKeys: [],
    nodeAffinityPolicy: 'Honor',
    nodeTaintsPolicy: 'Ignore',
  }));
}

interface DomainCounter {
  readonly key: string;
  readonly maxSkew: number;
  /** Matching pods by domain. */
  readonly counts: ReadonlyMap<string, number>;
  add(load: NodeLoad): void;
}

function countDomains(
  podClass: SimPodClass,
  fit: NodeFit,
  constraint: TopologySpreadConstraint,
  requiredKeys: readonly TopologySpreadConstraint[],
  loads: NodeLoads,
): DomainCounter {
  const { key, maxSkew } = constraint;
  const matches = createSpreadSelector(constraint, podClass);
  const counts = new Map<string, number>();
  const isCounted = ({ node }: NodeLoad): boolean => hasKeys(node, requiredKeys) && isEligible(constraint, fit, node);
  addPodCounts(counts, key, isCounted, listMatchingClasses(loads, matches), loads);
  const matchesItself = matches(podClass);
  return {
    key,
    maxSkew,
    counts,
    add({ node }) {
      const domain = ownValue(node.labels, key);
      if (!matchesItself || domain === undefined) return;
      counts.set(domain, (counts.get(domain) ?? 0) + 1);
    },
  };
}

/** Weighs the pods of a domain by the number of domains: with few domains, each pod counts less. */
function addRawScores(
  rawScores: Float64Array,
  { key, maxSkew, counts }: DomainCounter,
  feasible: readonly NodeLoad[],
  scored: readonly boolean[],
): void {
  const domains = feasible.map(({ node }) => ownValue(node.labels, key));
  const size = new Set(domains.filter((_, index) => scored[index])).size;
  const weight = Math.log(size + 2);
  for (const [index, domain] of domains.entries()) {
    if (domain === undefined) continue;
    const count = (counts.get(domain) ?? 0) * weight + maxSkew - 1;
    rawScores[index] = (rawScores[index] ?? 0) + count;
  }
}

/** Gives nodes with the fewest pods in their domains 100, and nodes that lack a key 0. */
function normalizeScores(rawScores: Float64Array, scored: readonly boolean[]): Float64Array {
  let min = Number.POSITIVE_INFINITY;
  let max = 0;
  for (const [index, count] of rawScores.entries()) {
    if (!scored[index]) continue;
    min = Math.min(min, count);
    max = Math.max(max, count);
  }
  return rawScores.map((count, index) => {
    if (!scored[index]) return 0;
    return max === 0 ? MAX_SCORE : Math.floor((MAX_SCORE * (max + min - count)) / max);
  });
}
