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
import type { FindNodeClass, LaunchableClass } from './ec2-catalogue.ts';
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
import { type FleetError, formatErrors, isTemplateMissing, reasonOf } from './fleet-errors.ts';
import { type FleetChoice, type FleetTemplate, fleetRequest } from './fleet-request.ts';
import { fleetTemplates } from './fleet-templates.ts';
import type { LaunchTemplates } from './node-class/launch-templates.ts';
import type { PriceList } from './price-list.ts';

export interface LaunchParts {
  readonly ec2: EC2Client;
  readonly clock: Clock;
  readonly market: Market;
  readonly unavailableOfferings: Pick<UnavailableOfferings, 'list'>;
  readonly findNodeClass: FindNodeClass;
  readonly templates: LaunchTemplates;
}

export interface LaunchSettings {
  readonly cluster: string;
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
  const found = await parts.findNodeClass(claim.nodeClass.name);
  // Whoever plans anew finds the pool without types.
  if (!found) return { outcome: 'unavailable', unavailable: [] };

  const types = new Map(instanceTypesOf(found.nodeClass).map((type) => [type.name, type]));
  const prices = await parts.market.current();
  const toLaunch = (instance: FleetInstance, at: EpochMs): Launch =>
    describeLaunch(claim, settings.region, types, prices, instance, at);

  const before = await instances.ofClaim(claim.name);
  if (before) {
    const { launchedAt, ...instance } = before;
    return { outcome: 'launched', launch: toLaunch(instance, launchedAt), unavailable: [] };
  }

  const offered = offeringsOfClaim(claim, settings.region, types, prices.offeringsOf);
  const zones = new Set(found.resolved.subnets.map(({ zone }) => zone));
  const dry = await parts.unavailableOfferings.list(parts.clock.now());
  const choices = fleetChoices(
    offered.filter(({ zone }) => zones.has(zone)),
    dry,
  );
  const order: Order = { claim, found, types, cluster: settings.cluster };
  const { instance, unavailable } = await tryChoices(parts, order, choices);
  if (!instance) return { outcome: 'unavailable', unavailable };
  return { outcome: 'launched', launch: toLaunch(instance, parts.clock.now()), unavailable };
}

/** What is to be launched, whichever way. */
interface Order {
  readonly claim: NodeClaim;
  readonly found: LaunchableClass;
  readonly types: ReadonlyMap<string, InstanceType>;
  readonly cluster: string;
}

async function tryChoices(
  parts: LaunchParts,
  order: Order,
  choices: readonly FleetChoice[],
): Promise<Pick<FleetAnswer, 'instance' | 'unavailable'>> {
  const unavailable: FleetOffering[] = [];
  for (const choice of choices) {
    const answer = await createFleet(parts, order, choice);
    unavailable.push(...answer.unavailable);
    if (answer.instance) return { instance: answer.instance, unavailable };

    if (answer.refusals.length > 0) throw launchFailed(order.claim, answer.refusals);
  }
  return { unavailable };
}

const launchFailed = ({ name }: NodeClaim, refusals: readonly FleetError[]): LaunchFailedError =>
  new LaunchFailedError(name, reasonOf(refusals), formatErrors(refusals), {
    cause: refusals[0]?.cause,
  });

/** A template that somebody took away meanwhile is made again, once. */
async function createFleet(
  parts: LaunchParts,
  order: Order,
  choice: FleetChoice,
): Promise<FleetAnswer> {
  const names: string[] = [];
  const ask = async (): Promise<FleetAnswer> => {
    const templates = await fleetTemplates(parts.templates, order, choice);
    names.push(...templates.map(({ name }) => name));
    return askForFleet(parts.ec2, order, choice, templates);
  };

  const answer = await ask();
  if (!answer.refusals.some(isTemplateMissing)) return answer;
  parts.templates.forget(names);
  return ask();
}

async function askForFleet(
  ec2: EC2Client,
  { claim, found, cluster }: Order,
  choice: FleetChoice,
  templates: readonly FleetTemplate[],
): Promise<FleetAnswer> {
  const nodeClass = found.resolved;
  const request = fleetRequest(claim, choice, { cluster, nodeClass, templates });
  // No image is for any of the types.
  if (request.LaunchTemplateConfigs?.length === 0) return NOTHING_FITS;
  try {
    const answer = await ec2.send(new CreateFleetCommand(request));
    return readFleetAnswer(answer, choice, nodeClass.subnets);
  } catch (cause) {
    if (!(cause instanceof EC2ServiceException)) throw cause;
    return readFleetRefusal({ code: cause.name, message: cause.message, cause }, choice);
  }
}

const NOTHING_FITS: FleetAnswer = { unavailable: [], refusals: [] };

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
