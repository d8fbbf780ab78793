import { CreateFleetCommand, type EC2Client, EC2ServiceException } from '@aws-sdk/client-ec2';
import type { InstanceType } from '../../../model/instance-type.ts';
import type { NodeClaim } from '../../../model/node-claim.ts';
import type { DryOffering, LaunchFailure, LaunchRequest } from '../../../ports/cloud.ts';
import {
  type FleetAnswer,
  type FleetInstance,
  readFleetAnswer,
  readFleetRefusal,
} from './fleet-response.ts';
import { isRateLimit, isTemplateMissing } from './fleet-errors.ts';
import { type FleetChoice, type FleetTemplate, fleetRequest } from './fleet-request.ts';
import { fleetTemplates } from './fleet-templates.ts';
import type { LaunchableClass } from '../../node-class/launchable-class.ts';
import type { LaunchTemplates } from '../../node-class/launch-templates.ts';

export interface FleetParts {
  readonly ec2: EC2Client;
  readonly templates: LaunchTemplates;
}

/** What is to be launched, whichever way. */
export interface Order {
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
export async function tryChoices(
  parts: FleetParts,
  order: Order,
  choices: readonly FleetChoice[],
  wanted: number,
): Promise<FleetAnswer> {
  const instances: FleetInstance[] = [];
  const unavailable: DryOffering[] = [];
  const exhausted: string[] = [];
  const failures: LaunchFailure[] = [];
  for (const choice of choices) {
    const answer = await createFleet(parts, order, choice, wanted - instances.length);
    instances.push(...answer.instances);
    unavailable.push(...answer.unavailable);
    exhausted.push(...answer.exhausted);
    failures.push(...answer.failures);
    if (instances.length >= wanted) break;
    if (answer.refusals.length > 0) {
      return { ...answer, instances, unavailable, exhausted, failures };
    }
  }
  return { instances, unavailable, exhausted, refusals: [], failures };
}

/** A template that somebody took away meanwhile is made again, once. */
async function createFleet(
  parts: FleetParts,
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
    return readFleetAnswer(answer, choice, nodeClass);
  } catch (cause) {
    if (!(cause instanceof EC2ServiceException) || isUnanswered(cause)) throw cause;
    const { name: code, message, $metadata } = cause;
    const isUncertain = ($metadata.attempts ?? 1) > 1;
    return { ...readFleetRefusal({ code, message, cause }, choice, nodeClass), isUncertain };
  }
}

/** EC2 failed midway: what it had launched by then, nobody was told. */
const isUnanswered = ({ name, $metadata }: EC2ServiceException): boolean =>
  ($metadata.httpStatusCode ?? 0) >= 500 && !isRateLimit(name);

const NOTHING_FITS: FleetAnswer = {
  instances: [],
  unavailable: [],
  exhausted: [],
  refusals: [],
  failures: [],
};
