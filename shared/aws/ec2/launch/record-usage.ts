import { PODS } from '../../../model/resources.ts';
import type { EpochMs } from '../../../model/time.ts';
import type { Taken } from '../../../ec2/node-class/free-capacity.ts';
import type { Order } from './create-fleet.ts';
import type { FleetAnswer, FleetOffering } from './fleet-response.ts';
import type { FleetChoice } from './fleet-request.ts';

/** What a launch may take before EC2 has said where: in each zone as much as the least would. */
export function mayTake(
  order: Order,
  choices: readonly FleetChoice[],
  wanted: number,
  at: EpochMs,
): Taken {
  const offered = choices.flatMap(({ offerings }) => offerings);
  const zones = new Set(offered.map(({ zone }) => zone));
  const addresses = [...zones].flatMap((zone) => {
    const least = Math.min(
      ...offered.filter((one) => one.zone === zone).map((one) => podsOn(order, one)),
    );
    return idOfSubnet(order, zone).map((id) => [id, least * wanted] as const);
  });
  return { launch: launchOf(order), at, counts: Object.fromEntries(addresses), exhausted: [] };
}

/** What it has taken: an address for each pod that a node may run, and a place in its reservation. */
export function tookOf(order: Order, { instances, exhausted }: FleetAnswer, at: EpochMs): Taken {
  const counts: Record<string, number> = {};
  const add = (id: string, count: number): void => {
    counts[id] = (counts[id] ?? 0) + count;
  };
  for (const instance of instances) {
    for (const id of idOfSubnet(order, instance.zone)) add(id, podsOn(order, instance));
    if (instance.reservation) add(instance.reservation.id, 1);
  }
  return { launch: launchOf(order), at, counts, exhausted };
}

/** Each attempt takes its own. */
const launchOf = ({ request: { id, attempt } }: Order): string => `${id}-${attempt}`;

const podsOn = ({ types }: Order, { instanceType }: FleetOffering): number =>
  types.get(instanceType)?.capacity[PODS] ?? 0;

/** The one that is asked for in a zone: the first. */
const idOfSubnet = ({ found }: Order, zone: string): readonly string[] =>
  found.resolved.subnets
    .filter((subnet) => subnet.zone === zone)
    .slice(0, 1)
    .map(({ id }) => id);
