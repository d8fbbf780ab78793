import type { InstanceType, Offering } from '../model/instance-type.ts';
import type { Launch, NodeClaim } from '../model/node-claim.ts';
import type { NodePool } from '../model/node-pool.ts';
import type { Cloud, LaunchOutcome } from '../ports/cloud.ts';
import { chooseOffering, launchLabels, offeringsFor } from './fleet.ts';
import type { Machine, Machines } from './machine.ts';
import { createPriceList } from './price-list.ts';
import { drawMs, hashText } from './random.ts';
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
  const { seed, clock, facts, machines, market } = parts;
  const prices = createPriceList(facts, market);
  const byClaim = new Map<string, Launch>();
  const types = new Map<string, InstanceType>();
  for (const type of parts.pools.flatMap((pool) => facts.instanceTypesOf(pool))) {
    types.set(type.name, type);
  }
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

  function launch(claim: NodeClaim): LaunchOutcome {
    const before = byClaim.get(claim.name);
    if (before) return { outcome: 'launched', launch: before, unavailable: [] };

    const offered = offeringsFor(
      claim,
      facts.region,
      (name) => types.get(name),
      prices.offeringsOf,
    );
    const { chosen, dry } = chooseOffering(offered, rank, (offering) =>
      parts.shortages.isDry(offering, clock.now()),
    );
    const unavailable = dry.map(withoutPrice);
    const type = types.get(chosen?.instanceType ?? '');
    if (!chosen || !type) return { outcome: 'unavailable', unavailable };
    return { outcome: 'launched', launch: start(claim, chosen, type), unavailable };
  }

  function start(claim: NodeClaim, offering: Offering, type: InstanceType): Launch {
    const { instanceType, zone, capacityType, hourlyUsd } = offering;
    const launched: Launch = {
      providerId: `aws:///${zone}/${instanceIdOf(seed, claim.name)}`,
      instanceType,
      zone,
      capacityType,
      hourlyUsd,
      at: clock.now(),
      labels: launchLabels(claim, type, offering, facts.region),
      capacity: type.capacity,
      allocatable: type.allocatable,
    };
    byClaim.set(claim.name, launched);
    const machine: Machine = {
      providerId: launched.providerId,
      claim,
      launch: launched,
      state: 'pending',
    };
    machines.put(machine.providerId, machine);
    clock.schedule(clock.now() + drawMs(seed, `power ${claim.name}`, 6_000, 12_000), () =>
      powerOn(machine.providerId),
    );
    return launched;
  }

  function powerOn(providerId: string): void {
    const machine = machines.get(providerId);
    if (machine?.state === 'pending') machines.put(providerId, { ...machine, state: 'running' });
  }

  function shutDown(providerId: string): void {
    const machine = machines.get(providerId);
    if (!machine || machine.state === 'shutting-down') return;
    machines.put(providerId, { ...machine, state: 'shutting-down', endedAt: clock.now() });
    const takesMs = drawMs(seed, `shutdown ${providerId}`, 3_000, 9_000);
    clock.schedule(clock.now() + takesMs, () => machines.remove(providerId));
  }

  return {
    cloud: {
      catalogue: async (pools) => prices.catalogue(pools),
      launch: async (claim) => launch(claim),
      instances: async () => machines.list().map(instanceOf),
      async instance(providerId) {
        const machine = machines.get(providerId);
        return machine && instanceOf(machine);
      },
      terminate: async (providerId) => shutDown(providerId),
    },
    reclaim: shutDown,
    multiplySpotPrices(factor) {
      market.multiply(factor);
      prices.pricesMoved();
    },
  };
}

const withoutPrice = ({ instanceType, zone, capacityType }: Offering) => ({
  instanceType,
  zone,
  capacityType,
});

const instanceOf = ({ providerId, claim, state }: Machine) => ({
  providerId,
  claim: claim.name,
  state,
});

const instanceIdOf = (seed: number, claim: string): string => {
  const words = [1, 2].map((part) =>
    hashText(`instance ${claim}`, seed + part)
      .toString(16)
      .padStart(8, '0'),
  );
  return `i-0${words.join('')}`;
};
