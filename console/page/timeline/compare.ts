import { totalOf } from '../../cost.ts';
import { formatCount, formatPercent, formatUsd } from '../../format.ts';
import type { PodView } from '../../views.ts';
import type { ClusterModel } from '../store/cluster-model.ts';

export interface ComparedRow {
  readonly label: string;
  readonly before: string;
  readonly after: string;
  /** Undefined if both are equal. */
  readonly change?: string;
}

export interface Comparison {
  readonly rows: readonly ComparedRow[];
  readonly added: readonly string[];
  readonly gone: readonly string[];
  /** Pods that run on another node, as `namespace/name`. */
  readonly moved: readonly string[];
  /** Nodes with other pods than before. */
  readonly changed: readonly string[];
}

/** Compares two moments: the vitals, the nodes and where the pods run. */
export function compareModels(before: ClusterModel, after: ClusterModel): Comparison {
  return {
    rows: compareTotals(before, after),
    changed: [...after.nodes].flatMap(([name, { pods }]) => {
      const earlier = before.nodes.get(name);
      return earlier && !hasSamePods(earlier.pods, pods) ? [name] : [];
    }),
    added: [...after.nodes.keys()].filter((name) => !before.nodes.has(name)),
    gone: [...before.nodes.keys()].filter((name) => !after.nodes.has(name)),
    moved: [...after.pods.values()]
      .filter(({ key, node }) => {
        const earlier = before.pods.get(key)?.node;
        return node !== undefined && earlier !== undefined && earlier !== node;
      })
      .map(({ key }) => key),
  };
}

function hasSamePods(before: readonly PodView[], after: readonly PodView[]): boolean {
  const keys = new Set(before.map(({ key }) => key));
  return keys.size === after.length && after.every(({ key }) => keys.has(key));
}

function compareTotals({ totals: a }: ClusterModel, { totals: b }: ClusterModel): ComparedRow[] {
  const count = (label: string, before: number, after: number) => row(label, before, after, formatCount);
  const cpu = ({ requested, allocatable }: ClusterModel['totals']): number =>
    allocatable.cpuMilli === 0 ? 0 : requested.cpuMilli / allocatable.cpuMilli;
  return [
    count('Nodes', totalOf(a.nodes), totalOf(b.nodes)),
    row('Cost per hour', totalOf(a.hourlyUsd), totalOf(b.hourlyUsd), formatUsd),
    row('CPU requested', cpu(a), cpu(b), (share) => formatPercent(share)),
    count('Pods running', a.runningPods, b.runningPods),
    count('Pods pending', a.pendingPods, b.pendingPods),
  ];
}

function row(label: string, before: number, after: number, format: (value: number) => string): ComparedRow {
  const [earlier, later] = [format(before), format(after)];
  if (earlier === later) return { label, before: earlier, after: later };
  const change = `${after > before ? '+' : '−'}${format(Math.abs(after - before))}`;
  return { label, before: earlier, after: later, change };
}
