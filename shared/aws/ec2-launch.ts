import { CreateFleetCommand, type EC2Client, EC2ServiceException } from '@aws-sdk/client-ec2';
import { instanceTypesOf } from '../catalogue/instance-types.ts';
import { labelsOfLaunch, offeringsOfClaim } from '../model/claim-offerings.ts';
import { LaunchFailedError } from '../model/errors.ts';
import type { InstanceType } from '../model/instance-type.ts';
import type { Launch, NodeClaim } from '../model/node-claim.ts';
import type { EpochMs } from '../model/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { LaunchOutcome } from '../ports/cloud.ts';
import type { UnavailableOfferings } from '../ports/unavailable-offerings.ts';
import type { FindNodeClass } from './ec2-catalogue.ts';
import { type Ec2Instances, toProviderId } from './ec2-instances.ts';
import type { Market } from './ec2-market.ts';
import {
  type FleetAnswer,
  type FleetInstance,
  type FleetOffering,
  readFleetAnswer,
  readFleetRefusal,
} from './fleet-answer.ts';
import { fleetChoices } from './fleet-choices.ts';
import { type FleetError, formatErrors, reasonOf } from './fleet-errors.ts';
import { type FleetChoice, type FleetSettings, fleetRequest } from './fleet-request.ts';
import type { PriceList } from './price-list.ts';

export interface LaunchParts {
  readonly ec2: EC2Client;
  readonly clock: Clock;
  readonly market: Market;
  readonly unavailableOfferings: Pick<UnavailableOfferings, 'list'>;
  readonly findNodeClass: FindNodeClass;
}

export interface LaunchSettings extends FleetSettings {
  readonly region: string;
}

/**
 * Starts one instance. EC2 does not promise that it knows a repeated request for an instant fleet by
 * its token, so an instance that carries the claim's name is looked for first.
 *
 * @throws LaunchFailedError - refused for another cause than a lack of capacity
 */
export async function launchInstance(
  parts: LaunchParts,
  instances: Pick<Ec2Instances, 'ofClaim'>,
  settings: LaunchSettings,
  claim: NodeClaim,
): Promise<LaunchOutcome> {
  const nodeClass = await parts.findNodeClass(claim.nodeClass.name);
  // Whoever plans anew finds the pool without types.
  if (!nodeClass) return { outcome: 'unavailable', unavailable: [] };

  const types = new Map(instanceTypesOf(nodeClass).map((type) => [type.name, type]));
  const prices = await parts.market.current();
  const toLaunch = (instance: FleetInstance, at: EpochMs): Launch =>
    describeLaunch(claim, settings.region, types, prices, instance, at);

  const before = await instances.ofClaim(claim.name);
  if (before) {
    const { launchedAt, ...instance } = before;
    return { outcome: 'launched', launch: toLaunch(instance, launchedAt), unavailable: [] };
  }

  const offered = offeringsOfClaim(claim, settings.region, types, prices.offeringsOf);
  const dry = await parts.unavailableOfferings.list(parts.clock.now());
  const { instance, unavailable } = await tryChoices(
    parts.ec2,
    settings,
    claim,
    fleetChoices(offered, dry),
  );
  if (!instance) return { outcome: 'unavailable', unavailable };
  return { outcome: 'launched', launch: toLaunch(instance, parts.clock.now()), unavailable };
}

async function tryChoices(
  ec2: EC2Client,
  settings: LaunchSettings,
  claim: NodeClaim,
  choices: readonly FleetChoice[],
): Promise<Pick<FleetAnswer, 'instance' | 'unavailable'>> {
  const unavailable: FleetOffering[] = [];
  for (const choice of choices) {
    const answer = await createFleet(ec2, settings, claim, choice);
    unavailable.push(...answer.unavailable);
    if (answer.instance) return { instance: answer.instance, unavailable };

    if (answer.refusals.length > 0) throw launchFailed(claim, answer.refusals);
  }
  return { unavailable };
}

const launchFailed = ({ name }: NodeClaim, refusals: readonly FleetError[]): LaunchFailedError =>
  new LaunchFailedError(name, reasonOf(refusals), formatErrors(refusals), {
    cause: refusals[0]?.cause,
  });

async function createFleet(
  ec2: EC2Client,
  settings: LaunchSettings,
  claim: NodeClaim,
  choice: FleetChoice,
): Promise<FleetAnswer> {
  try {
    const request = new CreateFleetCommand(fleetRequest(claim, choice, settings));
    return readFleetAnswer(await ec2.send(request), choice, settings.subnets);
  } catch (cause) {
    if (!(cause instanceof EC2ServiceException)) throw cause;
    return readFleetRefusal({ code: cause.name, message: cause.message, cause }, choice);
  }
}

/** @throws LaunchFailedError - the catalogue lost the type or its price since the launch */
function describeLaunch(
  claim: NodeClaim,
  region: string,
  types: ReadonlyMap<string, InstanceType>,
  prices: PriceList,
  instance: FleetInstance,
  at: EpochMs,
): Launch {
  const { id, instanceType, zone, capacityType } = instance;
  const type = types.get(instanceType);
  const offerings = prices.offeringsOf(instanceType);
  const offering =
    offerings.find((one) => one.zone === zone && one.capacityType === capacityType) ?? offerings[0];
  if (!type || !offering) {
    throw new LaunchFailedError(claim.name, 'LaunchFailed', `${instanceType} is not known`);
  }
  return {
    providerId: toProviderId(zone, id),
    instanceType,
    zone,
    capacityType,
    hourlyUsd: offering.hourlyUsd,
    at,
    labels: labelsOfLaunch(claim, region, type, instance),
    capacity: type.capacity,
    allocatable: type.allocatable,
  };
}
