import { CreateFleetCommand, type EC2Client, EC2ServiceException } from '@aws-sdk/client-ec2';
import { classMarks } from '../api/drift.ts';
import { labelsOfLaunch, offeringsOfClaim } from '../model/claim-offerings.ts';
import { LaunchFailedError } from '../model/errors.ts';
import type { InstanceType } from '../model/instance-type.ts';
import { ZONE_ID_LABEL } from '../model/labels.ts';
import type { Launch, NodeClaim } from '../model/node-claim.ts';
import type { EpochMs } from '../model/time.ts';
import { imageFor } from '../node-class/image-choice.ts';
import { launchZones } from '../node-class/launch-zones.ts';
import type { Clock } from '../ports/clock.ts';
import type { LaunchAnswer, LaunchRequest } from '../ports/cloud.ts';
import type { LearnedSizes } from '../ports/learned-sizes.ts';
import type { ResolvedNodeClass } from '../ports/node-classes.ts';
import type { UnavailableOfferings } from '../ports/unavailable-offerings.ts';
import type { FindNodeClass, LaunchableClass } from './ec2-catalogue.ts';
import { type Ec2Instances, type LaunchedInstance, toProviderId } from './ec2-instances.ts';
import type { Market } from './ec2-market.ts';
import {
  type FleetAnswer,
  type FleetInstance,
  type FleetOffering,
  readFleetAnswer,
  readFleetRefusal,
} from './fleet-answer.ts';
import { fleetChoices } from './fleet-choices.ts';
import {
  type FleetError,
  formatErrors,
  isRateLimit,
  isTemplateMissing,
  reasonOf,
} from './fleet-errors.ts';
import { type FleetChoice, type FleetTemplate, fleetRequest } from './fleet-request.ts';
import { fleetTemplates } from './fleet-templates.ts';
import type { LaunchTemplates } from './node-class/launch-templates.ts';
import { setupOf } from './node-setup.ts';
import type { PriceList } from './price-list.ts';
import { sizedTypes } from './sized-types.ts';

export interface LaunchParts {
  readonly ec2: EC2Client;
  readonly clock: Clock;
  readonly market: Market;
  readonly unavailableOfferings: Pick<UnavailableOfferings, 'list'>;
  readonly learnedSizes: Pick<LearnedSizes, 'list'>;
  readonly findNodeClass: FindNodeClass;
  readonly templates: LaunchTemplates;
}

export interface LaunchSettings {
  readonly cluster: string;
  readonly region: string;
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
  const found = claim && (await parts.findNodeClass(claim.nodeClass.name));
  // Whoever plans anew finds the pool without types.
  if (!found) return { launches: [], unavailable: [] };

  const prices = await parts.market.current();
  const sizes = await parts.learnedSizes.list(parts.clock.now());
  const all = sizedTypes(found, prices, sizes);
  const types = new Map(all.map((type) => [type.name, type]));
  const sold = { region: settings.region, resolved: found.resolved, types, prices };
  const toLaunch = (instance: FleetInstance, at: EpochMs): Launch =>
    describeLaunch(claim, sold, instance, at);

  const before = request.isRepeated ? await launchedBefore(instances, request) : [];
  const launches = before.map(({ launchedAt, ...instance }) => toLaunch(instance, launchedAt));
  const wanted = request.claims.length - launches.length;
  if (wanted <= 0) return { launches, unavailable: [] };

  const offered = offeringsOfClaim(claim, settings.region, types, prices.offeringsOf);
  const zones = new Set(launchZones(found.resolved));
  const dry = await parts.unavailableOfferings.list(parts.clock.now());
  const choices = fleetChoices(
    offered.filter(({ zone }) => zones.has(zone)),
    dry,
  );
  const { cluster } = settings;
  const order: Order = { claim, request, found, types, cluster, taken: before.length };
  const answer = await tryChoices(parts, order, choices, wanted);
  // An answer that repeats an earlier one has instances in it that are somebody's already.
  const fresh = answer.instances.filter(({ id }) => !before.some((known) => known.id === id));
  const now = parts.clock.now();
  const launched = fresh.map((instance) => toLaunch(instance, now));
  return {
    launches: [...launches, ...launched],
    unavailable: answer.unavailable,
    ...(answer.refusals.length > 0 && { refusal: launchFailed(claim, answer.refusals) }),
  };
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

/** What is to be launched, whichever way. */
interface Order {
  /** The first of several that are equal but for their names. */
  readonly claim: NodeClaim;
  readonly request: LaunchRequest;
  readonly found: LaunchableClass;
  readonly types: ReadonlyMap<string, InstanceType>;
  readonly cluster: string;
  /** How many instances an earlier call of the same attempt has launched. */
  readonly taken: number;
}

/** One choice after the other, each for what is still missing, until EC2 refuses for good. */
async function tryChoices(
  parts: LaunchParts,
  order: Order,
  choices: readonly FleetChoice[],
  wanted: number,
): Promise<FleetAnswer> {
  const instances: FleetInstance[] = [];
  const unavailable: FleetOffering[] = [];
  for (const choice of choices) {
    const answer = await createFleet(parts, order, choice, wanted - instances.length);
    instances.push(...answer.instances);
    unavailable.push(...answer.unavailable);
    if (instances.length >= wanted) break;
    if (answer.refusals.length > 0) {
      return { instances, unavailable, refusals: answer.refusals };
    }
  }
  return { instances, unavailable, refusals: [] };
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
  wanted: number,
): Promise<FleetAnswer> {
  const names: string[] = [];
  const ask = async (): Promise<FleetAnswer> => {
    const templates = await fleetTemplates(parts.templates, order, choice);
    names.push(...templates.map(({ name }) => name));
    return askForFleet(parts.ec2, order, { ...choice, wanted }, templates);
  };

  const answer = await ask();
  if (!answer.refusals.some(isTemplateMissing)) return answer;
  parts.templates.forget(names);
  return ask();
}

async function askForFleet(
  ec2: EC2Client,
  { request: launch, found, cluster, taken }: Order,
  choice: FleetChoice & { readonly wanted: number },
  templates: readonly FleetTemplate[],
): Promise<FleetAnswer> {
  const nodeClass = found.resolved;
  const request = fleetRequest(launch, choice, { cluster, nodeClass, templates, taken });
  // No image is for any of the types.
  if (request.LaunchTemplateConfigs?.length === 0) return NOTHING_FITS;
  try {
    const answer = await ec2.send(new CreateFleetCommand(request));
    return readFleetAnswer(answer, choice, nodeClass.subnets);
  } catch (cause) {
    if (!(cause instanceof EC2ServiceException) || isUnanswered(cause)) throw cause;
    return readFleetRefusal({ code: cause.name, message: cause.message, cause }, choice);
  }
}

/** EC2 failed midway: what it had launched by then, nobody was told. */
const isUnanswered = ({ name, $metadata }: EC2ServiceException): boolean =>
  ($metadata.httpStatusCode ?? 0) >= 500 && !isRateLimit(name);

const NOTHING_FITS: FleetAnswer = { instances: [], unavailable: [], refusals: [] };

/** What an instance can be told by, besides itself. */
interface Sold {
  readonly region: string;
  readonly resolved: ResolvedNodeClass;
  readonly types: ReadonlyMap<string, InstanceType>;
  readonly prices: PriceList;
}

/** @throws LaunchFailedError - the catalogue lost the type or its price since the launch */
function describeLaunch(
  claim: NodeClaim,
  { region, resolved, types, prices }: Sold,
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
  const zoneId = resolved.subnets.find((subnet) => subnet.zone === zone)?.zoneId;
  const image = imageFor(resolved.images, type.labels);
  return {
    providerId: toProviderId(zone, id),
    instanceType,
    zone,
    capacityType,
    hourlyUsd: offering.hourlyUsd,
    at,
    labels: {
      ...labelsOfLaunch(claim, region, type, instance),
      ...(zoneId !== undefined && { [ZONE_ID_LABEL]: zoneId }),
    },
    ...(image && { imageId: image.id }),
    setup: setupOf(resolved),
    ...(instance.subnetId !== undefined && { subnetId: instance.subnetId }),
    securityGroupIds: resolved.securityGroups.map(({ id: group }) => group),
    ...hashOf(resolved),
    capacity: type.capacity,
    allocatable: type.allocatable,
  };
}

/** What the node was made by: it drifts when its class says something else. */
function hashOf({
  name,
  written,
  cluster,
}: ResolvedNodeClass): Pick<Launch, 'nodeClassHash' | 'nodeClassHashVersion'> {
  const marks = classMarks(name, written, cluster.certificateAuthority);
  return marks ? { nodeClassHash: marks.hash, nodeClassHashVersion: marks.version } : {};
}
