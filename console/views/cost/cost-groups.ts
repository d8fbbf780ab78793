import { getOrCreate } from '../../../shared/model/memo.ts';
import type { CostGrouping, CostRow } from '../../screen-views.ts';
import type { NodeView, PodView } from '../../views.ts';
import { dominantShare } from '../amounts.ts';

/** The row of the part that no pod requests. */
export const FREE_ROOM = 'free room';

export type CostGroups = Readonly<Record<CostGrouping, readonly CostRow[]>>;

/** Computes what each node costs and how much of it its pods request. */
export function nodeCosts(
  nodes: readonly NodeView[],
  pods: readonly PodView[],
  onDemandPrices: OnDemandPrices,
): readonly NodeCost[] {
  const podsByNode = Map.groupBy(pods, ({ node }) => node);
  return nodes.map((node) => nodeCost(node, podsByNode.get(node.name) ?? [], onDemandPrices));
}

/** Splits the cost of all nodes; the rows of each grouping add up to the total. */
export function costGroups(costs: readonly NodeCost[]): CostGroups {
  const shares = costs.flatMap(splitByPod);
  return {
    capacity: byNode(costs, ({ node }) => node.capacityType ?? 'capacity type unknown'),
    pool: byNode(costs, ({ node }) => node.pool ?? 'no NodePool'),
    namespace: byPod(shares, ({ namespace }) => namespace),
    workload: byPod(shares, ({ namespace, workload }) => `${namespace}/${workload}`),
  };
}

export interface NodeCost {
  readonly node: NodeView;
  readonly pods: readonly PodView[];
  readonly hourlyUsd: number;
  readonly onDemandHourlyUsd: number;
  /** The dominant share that its pods request. */
  readonly usedShare: number;
  /** A spot node whose type has no on-demand price. */
  readonly isWithoutOnDemandPrice: boolean;
}

export type OnDemandPrices = ReadonlyMap<string, number>;

export const priceKey = ({ instanceType, zone }: { instanceType: string; zone: string }): string =>
  `${instanceType} ${zone}`;

function nodeCost(node: NodeView, pods: readonly PodView[], onDemandPrices: OnDemandPrices): NodeCost {
  const { hourlyUsd = 0, capacityType, requested, allocatable } = node;
  const onDemandUsd = capacityType === 'spot' ? onDemandPrices.get(priceKey(node)) : hourlyUsd;
  return {
    ...{ node, pods, hourlyUsd },
    onDemandHourlyUsd: onDemandUsd ?? hourlyUsd,
    usedShare: pods.length === 0 ? 0 : dominantShare(requested, allocatable),
    isWithoutOnDemandPrice: onDemandUsd === undefined,
  };
}

export function sumNodes(name: string, costs: readonly NodeCost[]): CostRow {
  const sum = (usdOf: (cost: NodeCost) => number) => costs.reduce((total, cost) => total + usdOf(cost), 0);
  return {
    name,
    nodes: costs.length,
    pods: sum(({ pods }) => pods.length),
    hourlyUsd: sum(({ hourlyUsd }) => hourlyUsd),
    onDemandHourlyUsd: sum(({ onDemandHourlyUsd }) => onDemandHourlyUsd),
    freeHourlyUsd: sum(({ hourlyUsd, usedShare }) => hourlyUsd * (1 - usedShare)),
  };
}

const byNode = (costs: readonly NodeCost[], getName: (cost: NodeCost) => string): readonly CostRow[] =>
  [...Map.groupBy(costs, getName)].map(([name, members]) => sumNodes(name, members)).toSorted(byCostThenName);

/** A pod's part of its node's cost; without a pod, the node's free room. */
interface PodShare {
  readonly pod?: PodView;
  readonly hourlyUsd: number;
  readonly onDemandHourlyUsd: number;
}

/** The pods of a node divide the requested part of its cost by their own dominant shares. */
function splitByPod({ node, pods, hourlyUsd, onDemandHourlyUsd, usedShare }: NodeCost): PodShare[] {
  const weights = pods.map((pod) => dominantShare(pod.requests, node.allocatable));
  const weight = weights.reduce((sum, one) => sum + one, 0);
  const used = weight > 0 ? usedShare : 0;
  const shareOf = (index: number) => (weight > 0 ? ((weights[index] ?? 0) / weight) * used : 0);
  return [
    ...pods.map((pod, index) => ({
      pod,
      hourlyUsd: hourlyUsd * shareOf(index),
      onDemandHourlyUsd: onDemandHourlyUsd * shareOf(index),
    })),
    { hourlyUsd: hourlyUsd * (1 - used), onDemandHourlyUsd: onDemandHourlyUsd * (1 - used) },
  ];
}

function byPod(shares: readonly PodShare[], getName: (pod: PodView) => string): readonly CostRow[] {
  const rows = new Map<string, { pods: number; hourlyUsd: number; onDemandHourlyUsd: number }>();
  for (const { pod, hourlyUsd, onDemandHourlyUsd } of shares) {
    const name = pod ? getName(pod) : FREE_ROOM;
    const row = getOrCreate(rows, name, () => ({ pods: 0, hourlyUsd: 0, onDemandHourlyUsd: 0 }));
    if (pod) row.pods += 1;
    row.hourlyUsd += hourlyUsd;
    row.onDemandHourlyUsd += onDemandHourlyUsd;
  }
  return [...rows].map(([name, row]) => ({ name, ...row })).toSorted(byCostThenName);
}

const byCostThenName = (a: CostRow, b: CostRow): number => b.hourlyUsd - a.hourlyUsd || (a.name < b.name ? -1 : 1);
