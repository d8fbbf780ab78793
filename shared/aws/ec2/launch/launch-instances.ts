import type { TypeSettings } from '../../../ec2/catalogue/instance-types.ts';
import { offeringsOfClaim } from '../../../model/claim-offerings.ts';
import { LaunchFailedError } from '../../../model/errors.ts';
import type { Offering, UnavailableOffering } from '../../../model/instance-type.ts';
import { PRICE_OVERLAY_ANNOTATION } from '../../../model/labels.ts';
import type { Launch, NodeClaim } from '../../../model/node-claim.ts';
import type { EpochMs } from '../../../model/time.ts';
import { launchZones } from '../../../ec2/node-class/launch-zones.ts';
import type { Taken } from '../../../ec2/node-class/free-capacity.ts';
import type { Clock } from '../../../ports/ports.ts';
import type { LaunchAnswer, LaunchRequest } from '../../../ports/cloud.ts';
import type { LearnedSizes, UnavailableOfferings } from '../../../ports/learned-state.ts';
import { type FleetParts, type Order, tryChoices } from './create-fleet.ts';
import { describeLaunch, type Sold } from './describe-launch.ts';
import { type Ec2Instances, type LaunchedInstance, toProviderId } from '../instances/ec2-instances.ts';
import type { Market } from '../prices/ec2-price-source.ts';
import type { FleetAnswer, FleetInstance } from './fleet-response.ts';
import { fleetChoices } from './fleet-choices.ts';
import { type FleetError, formatErrors, reasonOf } from './fleet-errors.ts';
import type { FleetChoice } from './fleet-request.ts';
import type { FindNodeClass, LaunchableClass } from '../../node-class/launchable-class.ts';
import type { Log } from '../../log.ts';
import { setupOf } from '../catalogue/node-setup.ts';
import { mayTake, tookOf } from './record-usage.ts';
import { ordinaryOfferings } from './ordinary-types.ts';
import { typesOfClass } from '../catalogue/types-of-class.ts';
import type { PriceList } from '../prices/price-list.ts';
import { reservedOfferings } from '../prices/reserved-offerings.ts';
import type { TakenCounts } from '../../dynamodb/launch-usage.ts';

export interface LaunchParts extends FleetParts {
  readonly clock: Clock;
  readonly market: Market;
  readonly unavailableOfferings: Pick<UnavailableOfferings, 'list'>;
  readonly learnedSizes: Pick<LearnedSizes, 'list'>;
  readonly findNodeClass: FindNodeClass;
  readonly takenCounts: Pick<TakenCounts, 'put'>;
  readonly log: Log;
}

export interface LaunchSettings {
  readonly cluster: string;
  readonly region: string;
  /** How types are reckoned; absent: as usual. */
  readonly types?: TypeSettings;
}

/**
 * Starts instances by one request for each capacity type that is tried. EC2 does not promise that it
 * knows a repeated request for an instant fleet by its token, so what carries the launch's id is
 * looked for before anything is asked for again.
 */
export async function launchInstances(
  parts: LaunchParts,
  instances: Pick<Ec2Instances, 'ofLaunch'>,
  settings: LaunchSettings,
  request: LaunchRequest,
): Promise<LaunchAnswer> {
  const [claim] = request.claims;
  if (!claim) return NOTHING;
  const [found, dry] = await Promise.all([
    parts.findNodeClass(claim.nodeClass.name),
    parts.unavailableOfferings.list(parts.clock.now()),
  ]);
  // Whoever plans anew finds the pool without types.
  if (!found) return NOTHING;

  const sold = await whatIsSold(parts, claim, found, settings);
  const toLaunch = (instance: FleetInstance, at: EpochMs): Launch =>
    describeLaunch(claim, sold, instance, at);

  const before = request.isRepeated ? await launchedBefore(instances, request) : [];
  const launches = before.map(({ launchedAt, ...instance }) => toLaunch(instance, launchedAt));
  const wanted = request.claims.length - launches.length;
  if (wanted <= 0) return { launches, unavailable: [] };

  const { cluster } = settings;
  const order: Order = { claim, request, found, types: sold.types, cluster, taken: before.length };
  const answer = await askCounted(parts, order, choicesOf(claim, sold, dry), wanted);
  // An answer that repeats an earlier one has instances in it that are somebody's already.
  const fresh = answer.instances.filter(({ id }) => !before.some((known) => known.id === id));
  const now = parts.clock.now();
  const launched = fresh.map((instance) => toLaunch(instance, now));
  return {
    launches: [...launches, ...launched],
    unavailable: answer.unavailable,
    ...(answer.failures.length > 0 && { failures: answer.failures }),
    ...(answer.refusals.length > 0 && {
      refusal: launchFailed(claim, answer.refusals),
      ...(answer.isUncertain && { isUncertain: true }),
    }),
  };
}

const NOTHING: LaunchAnswer = { launches: [], unavailable: [] };

async function whatIsSold(
  { market, learnedSizes, clock }: LaunchParts,
  claim: NodeClaim,
  found: LaunchableClass,
  { region, types: reckoned }: LaunchSettings,
): Promise<Sold> {
  const now = clock.now();
  const [prices, sizes] = await Promise.all([market.current(), learnedSizes.list(now)]);
  const types = typesOfClass(found, prices, sizes, region, reckoned);
  const { resolved } = found;
  const { name, reservations = [] } = resolved;
  const reserved = reservedOfferings(name, reservations, prices, now);
  return {
    region,
    resolved,
    setup: setupOf(resolved, reckoned?.reservedEnis),
    types: new Map(types.map((type) => [type.name, type])),
    offeringsOf: (type) => [
      ...reserved.filter(({ instanceType }) => instanceType === type),
      ...offeringsFor(claim, type, prices),
    ],
  };
}

/** A claim that was planned with prices of overlays may be of a type that has no other: for EC2, 0. */
function offeringsFor(
  { annotations }: NodeClaim,
  type: string,
  prices: PriceList,
): readonly Offering[] {
  const offerings = prices.offeringsOf(type);
  const isOverlaid = annotations[PRICE_OVERLAY_ANNOTATION] === 'true';
  return offerings.length > 0 || !isOverlaid ? offerings : prices.offeringsAt(type, 0);
}

function choicesOf(
  claim: NodeClaim,
  { region, resolved, types, offeringsOf }: Sold,
  dry: readonly UnavailableOffering[],
): readonly FleetChoice[] {
  const zones = new Set(launchZones(resolved));
  const offered = offeringsOfClaim(claim, region, types, offeringsOf);
  const group = resolved.placementGroup?.id;
  return fleetChoices(
    ordinaryOfferings(
      claim,
      offered.filter(({ zone }) => zones.has(zone)),
      types,
    ),
    dry.filter(({ placementGroup = group }) => placementGroup === group),
  );
}

/** Whoever launches beside us counts with what this may take, and with what it took once it is known. */
async function askCounted(
  parts: LaunchParts,
  order: Order,
  choices: readonly FleetChoice[],
  wanted: number,
): Promise<FleetAnswer> {
  if (choices.length === 0) return tryChoices(parts, order, choices, wanted);
  const { clock } = parts;
  const [answer] = await Promise.all([
    tryChoices(parts, order, choices, wanted),
    note(parts, mayTake(order, choices, wanted, clock.now())),
  ]);
  await note(parts, tookOf(order, answer, clock.now()));
  return answer;
}

/** Without it others may meet a full subnet; but a launch whose answer is lost costs 40 s. */
async function note({ takenCounts, log }: LaunchParts, taken: Taken): Promise<void> {
  try {
    await takenCounts.put(taken);
  } catch (error) {
    const fields = { launch: taken.launch, error: String(error) };
    log({ level: 'warn', message: 'what a launch takes is not counted', fields });
  }
}

async function launchedBefore(
  instances: Pick<Ec2Instances, 'ofLaunch'>,
  { id, claims, known }: LaunchRequest,
): Promise<readonly LaunchedInstance[]> {
  const found = await instances.ofLaunch(id);
  const isKnown = ({ id: instance, zone }: LaunchedInstance): boolean =>
    known.includes(toProviderId(zone, instance));
  return found.filter((instance) => !isKnown(instance)).slice(0, claims.length);
}

const launchFailed = ({ name }: NodeClaim, refusals: readonly FleetError[]): LaunchFailedError =>
  new LaunchFailedError(name, reasonOf(refusals), formatErrors(refusals), {
    cause: refusals[0]?.cause,
  });
