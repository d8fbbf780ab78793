import type { TypeSettings } from '../../../ec2/catalogue/instance-types.ts';
import { listLaunchZones } from '../../../ec2/node-class/free-capacity.ts';
import { LaunchFailedError } from '../../../model/errors.ts';
import { PRICE_OVERLAY_ANNOTATION } from '../../../model/labels.ts';
import type { Launch, NodeClaim } from '../../../model/nodes/node-claim.ts';
import { listOfferingsForClaim } from '../../../model/offerings/claim-offerings.ts';
import type { Offering, UnavailableOffering } from '../../../model/offerings/instance-type.ts';
import type { EpochMs } from '../../../model/time.ts';
import type { LaunchRequest, LaunchResult } from '../../../ports/cloud.ts';
import type { LearnedSizes, UnavailableOfferings } from '../../../ports/learned-state.ts';
import type { FindNodeClass, LaunchableClass } from '../../node-class/launchable-class.ts';
import { computeSetupHash, listTypesOfClass } from '../catalogue/types-of-class.ts';
import { type Ec2Instances, type LaunchedInstance, toProviderId } from '../instances/ec2-instances.ts';
import type { PriceSource } from '../prices/ec2-price-source.ts';
import { listReservedOfferings, type PriceList } from '../prices/price-list.ts';
import type { FleetOrder } from './create-fleet.ts';
import { buildLaunch, type LaunchContext } from './describe-launch.ts';
import { dropSpecialHardware, listFleetChoices } from './fleet-choices.ts';
import { type FleetError, findReason, formatErrors } from './fleet-errors.ts';
import type { FleetChoice } from './fleet-request.ts';
import type { FleetInstance } from './fleet-response.ts';
import { type LaunchFromChoicesDependencies, launchFromChoices } from './launch-from-choices.ts';

export interface LaunchDependencies extends LaunchFromChoicesDependencies {
  readonly priceSource: PriceSource;
  readonly unavailableOfferings: Pick<UnavailableOfferings, 'list'>;
  readonly learnedSizes: Pick<LearnedSizes, 'list'>;
  readonly findNodeClass: FindNodeClass;
}

export interface LaunchSettings {
  readonly cluster: string;
  readonly region: string;
  /** How instance types are computed; undefined for the defaults. */
  readonly types?: TypeSettings;
}

/**
 * Launches instances for the claims of one launch record, with a CreateFleet request per choice.
 * EC2 does not guarantee idempotence for instant fleets, so a repeated launch first looks for
 * instances with the launch's tag.
 *
 * @see shared/controllers/launch/launch-record.ts for the protocol
 */
export async function launchInstances(
  dependencies: LaunchDependencies,
  instances: Pick<Ec2Instances, 'listByLaunch'>,
  settings: LaunchSettings,
  request: LaunchRequest,
): Promise<LaunchResult> {
  const [claim] = request.claims;
  if (!claim) return NOTHING_LAUNCHED;
  const [launchableClass, unavailable] = await Promise.all([
    dependencies.findNodeClass(claim.nodeClass.name),
    dependencies.unavailableOfferings.list(dependencies.clock.now()),
  ]);
  // The next plan finds no types for the pool.
  if (!launchableClass) return NOTHING_LAUNCHED;

  const context = await buildLaunchContext(dependencies, claim, launchableClass, settings);
  const describe = (instance: FleetInstance, at: EpochMs): Launch => buildLaunch(claim, context, instance, at);

  const earlier = request.isRepeated ? await findEarlierInstances(instances, request) : [];
  const launches = earlier.map(({ launchedAt, ...instance }) => describe(instance, launchedAt));
  const missingCount = request.claims.length - launches.length;
  if (missingCount <= 0) return { launches, unavailable: [] };

  const { cluster } = settings;
  const order: FleetOrder = {
    claim,
    request,
    launchableClass,
    types: context.types,
    cluster,
    launchedCount: earlier.length,
  };
  const result = await launchFromChoices(dependencies, order, listChoices(claim, context, unavailable), missingCount);
  // A response to a repeated request may contain instances that already belong to a claim.
  const fresh = result.instances.filter(({ id }) => !earlier.some((other) => other.id === id));
  const now = dependencies.clock.now();
  const launched = fresh.map((instance) => describe(instance, now));
  return {
    launches: [...launches, ...launched],
    unavailable: result.unavailable,
    ...(result.failures.length > 0 && { failures: result.failures }),
    ...(result.refusals.length > 0 && {
      refusal: toLaunchFailedError(claim, result.refusals),
      ...(result.mayHaveLaunched && { isUncertain: true }),
    }),
  };
}

const NOTHING_LAUNCHED: LaunchResult = { launches: [], unavailable: [] };

async function buildLaunchContext(
  { priceSource, learnedSizes, clock }: LaunchDependencies,
  claim: NodeClaim,
  launchableClass: LaunchableClass,
  { region, types: typeSettings }: LaunchSettings,
): Promise<LaunchContext> {
  const now = clock.now();
  const [prices, sizes] = await Promise.all([priceSource.current(), learnedSizes.list(now)]);
  const types = listTypesOfClass(launchableClass, prices, sizes, region, typeSettings);
  const { resolved } = launchableClass;
  const { name, reservations = [] } = resolved;
  const reserved = listReservedOfferings(name, reservations, prices, now);
  return {
    region,
    resolved,
    setup: computeSetupHash(resolved, typeSettings?.reservedEnis),
    types: new Map(types.map((type) => [type.name, type])),
    unpriced: prices.unpriced === true,
    offeringsOf: (type) => [
      ...reserved.filter(({ instanceType }) => instanceType === type),
      ...listPricedOfferings(claim, type, prices),
    ],
  };
}

/**
 * A claim planned with overlay prices may have a type without any other price; EC2 does not need
 * it, so it is 0.
 */
function listPricedOfferings({ annotations }: NodeClaim, type: string, prices: PriceList): readonly Offering[] {
  const offerings = prices.offeringsOf(type);
  const isOverlaid = annotations[PRICE_OVERLAY_ANNOTATION] === 'true';
  return offerings.length > 0 || !isOverlaid ? offerings : prices.offeringsAt(type, 0);
}

function listChoices(
  claim: NodeClaim,
  { region, resolved, types, offeringsOf }: LaunchContext,
  unavailable: readonly UnavailableOffering[],
): readonly FleetChoice[] {
  const zones = new Set(listLaunchZones(resolved));
  const offered = listOfferingsForClaim(claim, region, types, offeringsOf);
  const group = resolved.placementGroup?.id;
  return listFleetChoices(
    dropSpecialHardware(
      claim,
      offered.filter(({ zone }) => zones.has(zone)),
      types,
    ),
    unavailable.filter(({ placementGroup = group }) => placementGroup === group),
  );
}

/** Finds instances of an earlier call of this launch that belong to no claim yet. */
async function findEarlierInstances(
  instances: Pick<Ec2Instances, 'listByLaunch'>,
  { id, claims, existingInstances }: LaunchRequest,
): Promise<readonly LaunchedInstance[]> {
  const launched = await instances.listByLaunch(id);
  const isAssigned = ({ id: instance, zone }: LaunchedInstance): boolean =>
    existingInstances.includes(toProviderId(zone, instance));
  return launched.filter((instance) => !isAssigned(instance)).slice(0, claims.length);
}

const toLaunchFailedError = ({ name }: NodeClaim, refusals: readonly FleetError[]): LaunchFailedError =>
  new LaunchFailedError(name, findReason(refusals), formatErrors(refusals), {
    cause: refusals[0]?.cause,
  });
