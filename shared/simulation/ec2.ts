import { labelsOfLaunch, offeringsOfClaim } from '../model/claim-offerings.ts';
import type { InstanceType, Offering } from '../model/instance-type.ts';
import { PRICE_OVERLAY_ANNOTATION } from '../model/labels.ts';
import type { Launch, NodeClaim } from '../model/node-claim.ts';
import type { NodePool } from '../model/node-pool.ts';
import type { Cloud, Instance, LaunchAnswer, LaunchRequest } from '../ports/cloud.ts';
import { chooseOffering } from './fleet.ts';
import { createMachineRoom, type Machine, type Machines, providerIdOf } from './machine-room.ts';
import { createPriceList } from './price-list.ts';
import type { Shortages } from './shortages.ts';
import type { SpotMarket } from './spot-market.ts';
import { PRICE_STEP_MS } from './spot-market.ts';
import type { SimCatalogue, VirtualClock } from './world.ts';

export interface Ec2Parts {
  readonly seed: number;
  readonly clock: VirtualClock;
  readonly facts: SimCatalogue;
  readonly pools: readonly NodePool[];
  readonly machines: Machines;
  readonly market: SpotMarket;
  readonly shortages: Shortages;
}

export interface SimEc2 {
  readonly cloud: Cloud;
  /** Takes an instance back, as EC2 does at the end of a spot notice. No error if gone. */
  reclaim(providerId: string): void;
  multiplySpotPrices(factor: number): void;
}

/** EC2 with one account, one subnet per zone and no request limits. */
export function createEc2(parts: Ec2Parts): SimEc2 {
  const { seed, clock, facts, machines, market, shortages } = parts;
  const prices = createPriceList(facts, market);
  const room = createMachineRoom(seed, clock, machines);
  const typesOf = typesByPool(facts, parts.pools);
  /** By token: a request that is repeated is answered as it was. */
  const answers = new Map<string, LaunchAnswer>();
  clock.schedule(clock.now() + PRICE_STEP_MS, movePrices);

  function movePrices(): void {
    market.step();
    prices.pricesMoved();
    clock.schedule(clock.now() + PRICE_STEP_MS, movePrices);
  }

  // Price-capacity-optimised: a pool that is nearly empty counts as if it cost half as much again.
  const rank = ({ instanceType, zone, capacityType, hourlyUsd }: Offering): number =>
    capacityType === 'spot'
      ? hourlyUsd * (1.5 - 0.5 * market.depth(instanceType, zone, clock.now()))
      : hourlyUsd;

  function launch(request: LaunchRequest): LaunchAnswer {
    const token = `${request.id}/${request.attempt}`;
    const before = answers.get(token);
    if (before) return before;

    const found = request.isRepeated ? launchedFor(request) : [];
    const rest = request.claims.slice(found.length).map((claim) => launchOne(claim, request.id));
    const launches = [...found, ...rest.flatMap((one) => one.launch ?? [])];
    const answer = { launches, unavailable: rest.flatMap((one) => one.unavailable) };
    answers.set(token, answer);
    return answer;
  }

  /** Where overlays have changed prices, the order of the claim is asked for, as a priority. */
  const rankFor = ({ annotations, instanceTypes }: NodeClaim): typeof rank =>
    annotations[PRICE_OVERLAY_ANNOTATION] === 'true'
      ? ({ instanceType }) => instanceTypes.indexOf(instanceType)
      : rank;

  function launchOne(claim: NodeClaim, launchId: string): Launched {
    const types = typesOf(claim.pool);
    const offered = offeringsOfClaim(claim, facts.region, types, prices.offeringsOf);
    const { chosen, dry } = chooseOffering(offered, rankFor(claim), (offering) =>
      shortages.isDry(offering, clock.now()),
    );
    const unavailable = dry.map(withoutPrice);
    const type = types.get(chosen?.instanceType ?? '');
    if (!chosen || !type) return { unavailable };

    const launched = launchOf(claim, chosen, type);
    room.start(claim, launched, launchId);
    return { launch: launched, unavailable };
  }

  const launchedFor = ({ id, claims, known }: LaunchRequest): readonly Launch[] =>
    machines
      .list()
      .filter(({ launchId, providerId }) => launchId === id && !known.includes(providerId))
      .slice(0, claims.length)
      .map((machine) => machine.launch);

  const launchOf = (claim: NodeClaim, offering: Offering, type: InstanceType): Launch => ({
    ...offering,
    providerId: providerIdOf(seed, claim.name, offering.zone),
    at: clock.now(),
    labels: labelsOfLaunch(claim, facts.region, type, offering),
    capacity: type.capacity,
    allocatable: type.allocatable,
  });

  return {
    cloud: {
      catalogue: async (pools) => prices.catalogue(pools),
      launch: async (request) => launch(request),
      instances: async () => machines.list().map(instanceOf),
      async instance(providerId) {
        const machine = machines.get(providerId);
        return machine && instanceOf(machine);
      },
      // Simulated hardware does not break.
      impairments: async () => [],
      // A simulated instance has its names from the start.
      nameInstance: async () => {},
      terminate: async (providerId) => room.shutDown(providerId),
    },
    reclaim: room.shutDown,
    multiplySpotPrices(factor) {
      market.multiply(factor);
      prices.pricesMoved();
    },
  };
}

interface Launched {
  /** Absent: there is no capacity. */
  readonly launch?: Launch;
  readonly unavailable: LaunchAnswer['unavailable'];
}

type Types = ReadonlyMap<string, InstanceType>;

/** A type is not the same for every pool: its NodeClass says what the kubelet keeps of it. */
function typesByPool(facts: SimCatalogue, pools: readonly NodePool[]): (pool: string) => Types {
  const byPool = new Map(
    pools.map((pool) => {
      const types = facts.instanceTypesOf(pool);
      return [pool.name, new Map(types.map((type) => [type.name, type]))];
    }),
  );
  return (pool) => byPool.get(pool) ?? new Map();
}

const withoutPrice = ({ instanceType, zone, capacityType }: Offering) => ({
  instanceType,
  zone,
  capacityType,
});

const instanceOf = ({ providerId, claim, state, launchId, launch }: Machine): Instance => ({
  providerId,
  claim: claim.name,
  name: claim.name,
  state,
  launchId,
  launchedAt: launch.at,
  facts: {
    instanceType: launch.instanceType,
    zone: launch.zone,
    capacityType: launch.capacityType,
    pool: claim.pool,
    nodeClass: claim.nodeClass.name,
  },
});
