import { describeSpotShare, type OfferedNode } from '../../../shared/explain/spot-share.ts';
import { plural } from '../../format.ts';
import type { ReservationMeter } from '../../history/reservation-hours.ts';
import type { CostView } from '../../screen-views.ts';
import { explainBound } from '../bound-parts.ts';
import type { ConsoleFacts } from '../facts.ts';
import { nodeViews } from '../nodes.ts';
import { podViews } from '../pods.ts';
import { costGroups, type NodeCost, nodeCosts, type OnDemandPrices, priceKey, sumNodes } from './cost-groups.ts';
import { listReservations } from './reservations.ts';

/** Splits the cost of all nodes by capacity type, NodePool, namespace and workload. */
export function costView(facts: ConsoleFacts, meter: Pick<ReservationMeter, 'hoursOf' | 'since'>): CostView {
  const since = meter.since();
  const pods = podViews(facts);
  const nodes = nodeViews(facts, pods);
  const costs = nodeCosts(nodes, pods, listOnDemandPrices(facts));
  return {
    at: facts.clock.now,
    total: sumNodes('total', costs),
    groups: costGroups(costs),
    ...(facts.bound && { bound: explainBound(facts.bound, nodes, facts) }),
    reservations: listReservations(facts.snapshot, meter.hoursOf),
    ...(since !== undefined && { reservationsSince: since }),
    notes: listNotes(facts, costs),
  };
}

const listOnDemandPrices = ({ snapshot }: ConsoleFacts): OnDemandPrices =>
  new Map(
    snapshot.offerings
      .filter(({ capacityType }) => capacityType === 'on-demand')
      .map((offering) => [priceKey(offering), offering.hourlyUsd]),
  );

function listNotes({ info }: ConsoleFacts, costs: readonly NodeCost[]): readonly string[] {
  const unpriced = costs.filter(({ node }) => node.hourlyUsd === undefined).length;
  const notCompared = costs.filter((cost) => cost.isWithoutOnDemandPrice).length;
  const spotShare = describeSpotShare(costs.flatMap(toOfferedNode));
  return [
    'Included: the instances, at the price per hour of their type, zone and capacity type. Not included: EBS volumes, data transfer, the EKS control plane, and Mortise itself.',
    ...(info.source === 'playground'
      ? ['Spot prices are modelled, they are not prices of EC2. On-demand prices are list prices.']
      : []),
    'A namespace or workload pays for what its pods request: the largest of their shares of CPU, memory and GPU of their nodes. Room that no pod requests has a row of its own.',
    ...(spotShare ? [`The largest spot offering: ${spotShare}. EC2 may take back such nodes at once.`] : []),
    ...(unpriced > 0 ? [`The price of ${plural(unpriced, 'node')} is unknown, and missing from all sums.`] : []),
    ...(notCompared > 0
      ? [`${plural(notCompared, 'spot node')} without an on-demand price count with the spot price in "all on-demand".`]
      : []),
  ];
}

const toOfferedNode = ({ node: { instanceType, zone, capacityType }, pods }: NodeCost): OfferedNode[] =>
  capacityType ? [{ instanceType, zone, capacityType, podCount: pods.length }] : [];
