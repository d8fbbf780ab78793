import type { EpochMs } from '../../shared/model/time.ts';
import { COST_GROUPINGS, type CostGrouping, type CostHistoryView, type CostRow } from '../screen-views.ts';
import { type CostGroups, FREE_ROOM } from '../views/cost/cost-groups.ts';
import type { BoundSample } from '../views/series.ts';

/** The cost by capacity type, NodePool, namespace and workload over time. */
export interface CostHistory {
  add(at: EpochMs, groups: CostGroups): void;
  forget(before: EpochMs): void;
  view(
    by: CostGrouping,
    window: { readonly from: EpochMs; readonly to: EpochMs },
    bounds: readonly BoundSample[],
  ): CostHistoryView;
}

/** USD per hour by the name of the group. */
type Costs = ReadonlyMap<string, number>;

interface Sample {
  readonly at: EpochMs;
  readonly costs: Readonly<Record<CostGrouping, Costs>>;
}

/**
 * A cluster may have thousands of workloads. The largest of each moment are kept by name, so that
 * the history of a day takes about a megabyte, however large the cluster is.
 */
const MAX_NAMES = 12;
const MAX_SAMPLES = 1_200;
/** The curve has colours for so many groups. */
const SHOWN_NAMES = 6;
const OTHERS = 'others';

export function costHistory(): CostHistory {
  let samples: Sample[] = [];

  return {
    add(at, groups) {
      const costs = {
        capacity: largest(groups.capacity),
        pool: largest(groups.pool),
        namespace: largest(groups.namespace),
        workload: largest(groups.workload),
      };
      const last = samples.at(-1);
      if (last && COST_GROUPINGS.every((by) => isSame(last.costs[by], costs[by]))) return;
      samples.push({ at, costs });
      if (samples.length > MAX_SAMPLES) samples = thinOut(samples);
    },
    forget(before) {
      const first = samples.findLastIndex(({ at }) => at <= before);
      if (first > 0) samples = samples.slice(first);
    },
    view(by, { from, to }, bounds) {
      const before = samples.findLast(({ at }) => at < from);
      const inside = samples.filter(({ at }) => at >= from && at <= to);
      const shown = before ? [{ ...before, at: from }, ...inside] : inside;
      const names = namesBySum(shown, by);
      return {
        names,
        points: shown.map(({ at, costs }) => {
          const bound = bounds.findLast((sample) => sample.at <= at)?.hourlyUsd ?? 0;
          return {
            at,
            hourlyUsd: split(costs[by], names),
            ...(bound > 0 && { boundHourlyUsd: bound }),
          };
        }),
      };
    },
  };
}

/** The largest groups by name, and the others as one. */
function largest(rows: readonly CostRow[]): Costs {
  const costs = new Map<string, number>();
  for (const { name, hourlyUsd } of rows.toSorted((a, b) => b.hourlyUsd - a.hourlyUsd)) {
    if (hourlyUsd === 0) continue;
    const isNamed = costs.size < MAX_NAMES || name === FREE_ROOM;
    const key = isNamed ? name : OTHERS;
    costs.set(key, (costs.get(key) ?? 0) + hourlyUsd);
  }
  return costs;
}

/** The groups of a window, the largest first; the free room and the others are last. */
function namesBySum(samples: readonly Sample[], by: CostGrouping): readonly string[] {
  const sums = new Map<string, number>();
  for (const { costs } of samples) {
    for (const [name, usd] of costs[by]) sums.set(name, (sums.get(name) ?? 0) + usd);
  }
  const isLast = (name: string) => name === FREE_ROOM || name === OTHERS;
  const named = [...sums]
    .filter(([name]) => !isLast(name))
    .toSorted(([a, sumA], [b, sumB]) => sumB - sumA || (a < b ? -1 : 1))
    .map(([name]) => name);
  return [
    ...named.slice(0, SHOWN_NAMES),
    ...(named.length > SHOWN_NAMES || sums.has(OTHERS) ? [OTHERS] : []),
    ...(sums.has(FREE_ROOM) ? [FREE_ROOM] : []),
  ];
}

/** The costs in the order of the names; those without a name belong to the others. */
function split(costs: Costs, names: readonly string[]): readonly number[] {
  const total = costs.values().reduce((sum, usd) => sum + usd, 0);
  const named = names.map((name) => (name === OTHERS ? 0 : (costs.get(name) ?? 0)));
  const rest = Math.max(0, total - named.reduce((sum, usd) => sum + usd, 0));
  return names.map((name, index) => (name === OTHERS ? rest : (named[index] ?? 0)));
}

const isSame = (a: Costs, b: Costs): boolean =>
  a.size === b.size && a.entries().every(([name, usd]) => b.get(name) === usd);

/** Drops every second sample of the older half, but never the first. */
function thinOut(all: readonly Sample[]): Sample[] {
  const half = Math.ceil(all.length / 2);
  return all.filter((_, index) => index > half || index % 2 === 0);
}
