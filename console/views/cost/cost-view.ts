import { getOrCreate } from '../../../shared/model/memo.ts';
import type { CapacityType } from '../../../shared/model/offerings/instance-type.ts';
import { plural } from '../../format.ts';
import type { CostRow, CostView } from '../../screen-views.ts';
import type { NodeView, PodView } from '../../views.ts';
import { dominantShare } from '../amounts.ts';
import { explainBound } from '../bound-parts.ts';
import type { ConsoleFacts } from '../facts.ts';
import { nodeViews } from '../nodes.ts';
import { podViews } from '../pods.ts';

/** The row of the part that no pod requests. */
const FREE_ROOM = 'free room';

/** Splits the cost of all nodes by capacity type, NodePool, namespace and workload. */
export function costView(facts: ConsoleFacts): CostView {
  const pods = podViews(facts);
  const nodes = nodeViews(facts, pods);
  const podsByNode = Map.groupBy(pods, ({ node }) => node);
  const onDemand = listOnDemandPrices(facts);
  const costs = nodes.map((node) => nodeCost(node, podsByNode.get(node.name) ?? [], onDemand));
  const shares = costs.flatMap(splitByPod);
  return {
    at: facts.clock.now,
    total: sumNodes('total', costs),
    groups: {
      capacity: byNode(costs, ({ node }) => node.capacityType ?? 'capacity type unknown'),
      pool: byNode(costs, ({ node }) => node.pool ?? 'no NodePool'),
      namespace: byPod(shares, ({ namespace }) => namespace),
      workload: byPod(shares, ({ namespace, workload }) => `${namespace}/${workload}`),
    },
    ...(facts.bound && { bound: explainBound(facts.bound, nodes, facts) }),
    notes: listNotes(facts, costs),
  };
}

interface NodeCost {
  readonly node: NodeView;
  readonly pods: readonly PodView[];
  readonly hourlyUsd: number;
  readonly onDemandHourlyUsd: number;
  /** The dominant share that its pods request. */
  readonly usedShare: number;
  /** A spot node whose type has no on-demand price. */
  readonly isWithoutOnDemandPrice: boolean;
}

type OnDemandPrices = ReadonlyMap<string, number>;

const priceKey = ({ instanceType, zone }: { instanceType: string; zone: string }): string =>
  `${instanceType} ${zone}`;

const listOnDemandPrices = ({ snapshot }: ConsoleFacts): OnDemandPrices =>
  new Map(
    snapshot.offerings
      .filter(({ capacityType }) => capacityType === 'on-demand')
      .map((offering) => [priceKey(offering), offering.hourlyUsd]),
  );

function nodeCost(
  node: NodeView,
  pods: readonly PodView[],
  onDemandPrices: OnDemandPrices,
): NodeCost {
  const { hourlyUsd = 0, capacityType, requested, allocatable } = node;
  const onDemandUsd = capacityType === 'spot' ? onDemandPrices.get(priceKey(node)) : hourlyUsd;
  return {
    ...{ node, pods, hourlyUsd },
    onDemandHourlyUsd: onDemandUsd ?? hourlyUsd,
    usedShare: pods.length === 0 ? 0 : dominantShare(requested, allocatable),
    isWithoutOnDemandPrice: onDemandUsd === undefined,
  };
}

function sumNodes(name: string, costs: readonly NodeCost[]): CostRow {
  const sum = (usdOf: (cost: NodeCost) => number) =>
    costs.reduce((total, cost) => total + usdOf(cost), 0);
  return {
    name,
    nodes: costs.length,
    pods: sum(({ pods }) => pods.length),
    hourlyUsd: sum(({ hourlyUsd }) => hourlyUsd),
    onDemandHourlyUsd: sum(({ onDemandHourlyUsd }) => onDemandHourlyUsd),
    freeHourlyUsd: sum(({ hourlyUsd, usedShare }) => hourlyUsd * (1 - usedShare)),
  };
}

const byNode = (
  costs: readonly NodeCost[],
  getName: (cost: NodeCost) => CapacityType | string,
): readonly CostRow[] =>
  [...Map.groupBy(costs, getName)]
    .map(([name, members]) => sumNodes(name, members))
    .toSorted(byCostThenName);

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

const byCostThenName = (a: CostRow, b: CostRow): number =>
  b.hourlyUsd - a.hourlyUsd || (a.name < b.name ? -1 : 1);

function listNotes({ info }: ConsoleFacts, costs: readonly NodeCost[]): readonly string[] {
  const unpriced = costs.filter(({ node }) => node.hourlyUsd === undefined).length;
  const notCompared = costs.filter((cost) => cost.isWithoutOnDemandPrice).length;
  return [
    'Included: the instances, at the price per hour of their type, zone and capacity type. Not included: EBS volumes, data transfer, the EKS control plane, and Mortise itself.',
    ...(info.home === 'playground'
      ? ['Spot prices are modelled, they are not prices of EC2. On-demand prices are list prices.']
      : []),
    'A namespace or workload pays for what its pods request: the largest of their shares of CPU, memory and GPU of their nodes. Room that no pod requests has a row of its own.',
    ...(unpriced > 0
      ? [`The price of ${plural(unpriced, 'node')} is unknown, and missing from all sums.`]
      : []),
    ...(notCompared > 0
      ? [
          `${plural(notCompared, 'spot node')} without an on-demand price count with the spot price in "all on-demand".`,
        ]
      : []),
  ];
}
