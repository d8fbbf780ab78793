import { type Labels, PRICE_OVERLAY_ANNOTATION, ZONE_ID_LABEL } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { Launch, NodeClaim } from '../../model/nodes/node-claim.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { buildLaunchLabels, listOfferingsForClaim } from '../../model/offerings/claim-offerings.ts';
import type { InstanceType, Offering } from '../../model/offerings/instance-type.ts';
import { ownValue } from '../../model/own-value.ts';
import type { Cloud, Instance, LaunchRequest, LaunchResult } from '../../ports/cloud.ts';
import type { SimCatalogue, VirtualClock } from '../world.ts';
import {
  buildProviderId,
  type ClaimLaunch,
  createInstanceLifecycle,
  type SimInstance,
  type SimInstances,
} from './instances.ts';
import { createSimPriceList } from './price-list.ts';
import type { Shortages } from './shortages.ts';
import { PRICE_STEP_MS, type SimSpotPrices } from './spot-prices.ts';

export interface Ec2Parts {
  readonly seed: number;
  readonly clock: VirtualClock;
  readonly facts: SimCatalogue;
  readonly pools: readonly NodePool[];
  readonly instances: SimInstances;
  readonly spotPrices: SimSpotPrices;
  readonly shortages: Shortages;
}

export interface SimEc2 {
  readonly cloud: Cloud;
  /**
   * Terminates an instance, as EC2 does at the end of a spot notice. No error if the instance is
   * gone.
   */
  reclaim(providerId: string): void;
  multiplySpotPrices(factor: number): void;
}

/** Simulates EC2 with one account, one subnet per zone and no request limits. */
export function createEc2(parts: Ec2Parts): SimEc2 {
  const { seed, clock, facts, instances, spotPrices, shortages } = parts;
  const prices = createSimPriceList(facts, spotPrices);
  const lifecycle = createInstanceLifecycle(seed, clock, instances);
  const typesOf = groupTypesByPool(facts, parts.pools);
  /** Answers by client token: a repeated request gets the same answer. */
  const answersByToken = new Map<string, LaunchResult>();
  const launchCounts = new Map<string, number>();
  clock.schedule(clock.now() + PRICE_STEP_MS, movePrices);

  function movePrices(): void {
    spotPrices.step();
    prices.clearCache();
    clock.schedule(clock.now() + PRICE_STEP_MS, movePrices);
  }

  // Approximates price-capacity-optimized: a spot pool that is nearly empty ranks as if it cost 50
  // % more.
  const computeRank = ({ instanceType, zone, capacityType, hourlyUsd }: Offering): number =>
    capacityType === 'spot'
      ? hourlyUsd * (1.5 - 0.5 * spotPrices.spareCapacity(instanceType, zone, clock.now()))
      : hourlyUsd;

  function launch(request: LaunchRequest): LaunchResult {
    const token = `${request.id}/${request.attempt}`;
    return getOrCreate(answersByToken, token, () => {
      const existingLaunches = request.isRepeated ? findLaunches(request) : [];
      const attempts = request.claims.slice(existingLaunches.length).map((claim) => launchOne(claim, request));
      const launches = [...existingLaunches, ...attempts.flatMap((attempt) => attempt.launch ?? [])];
      return { launches, unavailable: attempts.flatMap((attempt) => attempt.unavailable) };
    });
  }

  /**
   * If overlays changed prices, the claim's type order is the priority (CreateFleet's prioritized
   * strategies).
   */
  const selectRank = ({ annotations, instanceTypes }: NodeClaim): typeof computeRank =>
    annotations[PRICE_OVERLAY_ANNOTATION] === 'true'
      ? ({ instanceType }) => instanceTypes.indexOf(instanceType)
      : computeRank;

  function launchOne(claim: NodeClaim, { id, claims }: LaunchRequest): LaunchAttempt {
    const types = typesOf(claim.pool);
    const offered = listOfferingsForClaim(claim, facts.region, types, prices.offeringsOf);
    const { chosen, unavailable: skipped } = chooseOffering(offered, selectRank(claim), (offering) =>
      shortages.isUnavailable(offering, clock.now()),
    );
    const unavailable = skipped.map(withoutPrice);
    const type = types.get(chosen?.instanceType ?? '');
    if (!chosen || !type) return { unavailable };

    const launched = toLaunch(claim, chosen, type);
    lifecycle.start({
      claim,
      launch: launched,
      launchId: id,
      ...(claims.length === 1 && { claimTag: claim.name }),
    });
    return { launch: launched, unavailable };
  }

  const findLaunches = ({ id, claims, existingInstances: existing }: LaunchRequest): readonly Launch[] =>
    instances
      .list()
      .filter(({ launchId, providerId }) => launchId === id && !existing.includes(providerId))
      .slice(0, claims.length)
      .map((instance) => instance.launch);

  /** A second launch of a claim is a second instance, so that tests notice it. */
  function countLaunch(claim: string): ClaimLaunch {
    const ordinal = (launchCounts.get(claim) ?? 0) + 1;
    launchCounts.set(claim, ordinal);
    return { claim, ordinal };
  }

  const toLaunch = (claim: NodeClaim, offering: Offering, type: InstanceType): Launch => ({
    ...offering,
    ...(facts.unpriced && { hourlyUsd: 0 }),
    providerId: buildProviderId(seed, countLaunch(claim.name), offering.zone),
    at: clock.now(),
    labels: {
      ...buildLaunchLabels(claim, facts.region, type, offering),
      ...toZoneIdLabel(ownValue(facts.zoneIds, offering.zone)),
    },
    capacity: type.capacity,
    allocatable: type.allocatable,
  });

  return {
    cloud: {
      catalogue: async (pools) => prices.catalogue(pools),
      launch: async (request) => launch(request),
      instances: async () => instances.list().map(toInstance),
      findInstances: async (providerIds) =>
        providerIds.flatMap((providerId) => instances.get(providerId) ?? []).map(toInstance),
      async instance(providerId) {
        const instance = instances.get(providerId);
        if (instance) return toInstance(instance);
        const terminated = lifecycle.findTerminated(providerId);
        return terminated && { ...toInstance(terminated), state: 'terminated' };
      },
      // Simulated hardware never fails.
      impairments: async () => [],
      // Simulated instances are named at launch.
      async nameInstance(providerId, { claim }) {
        const instance = instances.get(providerId);
        if (instance && claim !== undefined) instances.put(providerId, { ...instance, claimTag: claim });
      },
      terminate: async (providerId) => lifecycle.shutDown(providerId),
      reboot: async (providerId) => lifecycle.reboot(providerId),
    },
    reclaim: lifecycle.shutDown,
    multiplySpotPrices(factor) {
      spotPrices.multiply(factor);
      prices.clearCache();
    },
  };
}

const toZoneIdLabel = (id: string | undefined): Labels => (id === undefined ? {} : { [ZONE_ID_LABEL]: id });

interface LaunchAttempt {
  /** `undefined` if every offering is unavailable. */
  readonly launch?: Launch;
  readonly unavailable: LaunchResult['unavailable'];
}

type TypesByName = ReadonlyMap<string, InstanceType>;

/** Types differ by pool: allocatable depends on the NodeClass's kubelet settings. */
function groupTypesByPool(facts: SimCatalogue, pools: readonly NodePool[]): (pool: string) => TypesByName {
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

const toInstance = ({ providerId, claim, claimTag, state, launchId, launch }: SimInstance): Instance => ({
  providerId,
  claim: claimTag ?? '',
  ...(claimTag !== undefined && { name: claimTag }),
  state,
  ...(launchId !== '' && { launchId }),
  launchedAt: launch.at,
  facts: {
    instanceType: launch.instanceType,
    zone: launch.zone,
    capacityType: launch.capacityType,
    pool: claim.pool,
    nodeClass: claim.nodeClass.name,
  },
});

interface OfferingChoice {
  readonly chosen?: Offering;
  /** Better offerings without capacity, best first. */
  readonly unavailable: readonly Offering[];
}

/**
 * Chooses an offering as CreateFleet does: reserved before spot before on-demand, then by rank.
 *
 * @param rank - lower is better; compared within a capacity type
 */
function chooseOffering(
  offerings: readonly Offering[],
  rank: (offering: Offering) => number,
  isUnavailable: (offering: Offering) => boolean,
): OfferingChoice {
  const ranked = offerings
    .map((offering) => ({ offering, score: rank(offering) }))
    .toSorted(
      (a, b) => capacityTypeRank(a.offering) - capacityTypeRank(b.offering) || a.score - b.score || byName(a, b),
    );
  const unavailable: Offering[] = [];
  for (const { offering } of ranked) {
    if (!isUnavailable(offering)) return { chosen: offering, unavailable };
    unavailable.push(offering);
  }
  return { unavailable };
}

const CAPACITY_ORDER = ['reserved', 'spot', 'on-demand'];
const capacityTypeRank = ({ capacityType }: Offering): number => CAPACITY_ORDER.indexOf(capacityType);

const byName = (a: { offering: Offering }, b: { offering: Offering }): number =>
  nameOf(a.offering) < nameOf(b.offering) ? -1 : 1;
const nameOf = ({ instanceType, zone }: Offering): string => `${instanceType} ${zone}`;
