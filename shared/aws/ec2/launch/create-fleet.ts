import { CreateFleetCommand, type EC2Client, EC2ServiceException } from '@aws-sdk/client-ec2';
import { groupByTemplate, type TemplateGroup } from '../../../ec2/node-class/launch-template/template-groups.ts';
import { UserDataError } from '../../../ec2/node-class/user-data/boot-facts.ts';
import { LaunchFailedError } from '../../../model/errors.ts';
import type { NodeClaim } from '../../../model/nodes/node-claim.ts';
import type { InstanceType } from '../../../model/offerings/instance-type.ts';
import type { LaunchRequest } from '../../../ports/cloud.ts';
import type { LaunchTemplates } from '../../node-class/launch-templates.ts';
import type { LaunchableClass } from '../../node-class/launchable-class.ts';
import { isRateLimit, isTemplateMissing } from './fleet-errors.ts';
import { buildFleetRequest, type FleetChoice, type FleetTemplate } from './fleet-request.ts';
import { type FleetResult, readFleetError, readFleetOutput } from './fleet-response.ts';

export interface FleetDependencies {
  readonly ec2: EC2Client;
  readonly templates: LaunchTemplates;
}

/** The launch that the CreateFleet requests are built from. */
export interface FleetOrder {
  /** The first of several claims that differ only in their names. */
  readonly claim: NodeClaim;
  readonly request: LaunchRequest;
  readonly launchableClass: LaunchableClass;
  readonly types: ReadonlyMap<string, InstanceType>;
  readonly cluster: string;
  /** The number of instances that an earlier call of the same attempt has launched. */
  readonly launchedCount: number;
}

/** A template that another process deleted is created again once. */
const MAX_ATTEMPTS = 2;

/**
 * Launches up to `count` instances of one choice with a CreateFleet request.
 *
 * @throws EC2ServiceException - EC2 failed after it may have launched instances: the outcome is unknown
 * @throws LaunchFailedError - the user data of the class cannot be built
 */
export async function createFleet(
  { ec2, templates: launchTemplates }: FleetDependencies,
  order: FleetOrder,
  choice: FleetChoice & { readonly count: number },
): Promise<FleetResult> {
  const { request: launch, launchableClass, cluster, launchedCount } = order;
  const nodeClass = launchableClass.resolved;
  for (let attempt = 1; ; attempt += 1) {
    const templates = await ensureTemplates(launchTemplates, order, choice);
    const request = buildFleetRequest(launch, choice, {
      cluster,
      nodeClass,
      templates,
      launchedCount,
    });
    // No image of the class fits any of the types.
    if (request.LaunchTemplateConfigs?.length === 0) return EMPTY_RESULT;
    let result: FleetResult;
    try {
      const output = await ec2.send(new CreateFleetCommand(request));
      result = readFleetOutput(output, choice, nodeClass);
    } catch (error) {
      result = readRefusal(error, choice, nodeClass);
    }
    if (attempt === MAX_ATTEMPTS || !result.refusals.some(isTemplateMissing)) return result;
    launchTemplates.forget(templates.map(({ name }) => name));
  }
}

/** @throws `error` itself, if it does not say that EC2 refused the request */
function readRefusal(error: unknown, choice: FleetChoice, nodeClass: LaunchableClass['resolved']): FleetResult {
  if (!(error instanceof EC2ServiceException) || isServerError(error)) throw error;
  const { name: code, message, $metadata } = error;
  // The SDK retried the request; an earlier try may have launched instances.
  const mayHaveLaunched = ($metadata.attempts ?? 1) > 1;
  return { ...readFleetError({ code, message, cause: error }, choice, nodeClass), mayHaveLaunched };
}

/** EC2 failed in the middle of the request and may have launched instances by then. */
const isServerError = ({ name, $metadata }: EC2ServiceException): boolean =>
  ($metadata.httpStatusCode ?? 0) >= 500 && !isRateLimit(name);

export const EMPTY_RESULT: FleetResult = {
  instances: [],
  unavailable: [],
  exhausted: [],
  refusals: [],
  failures: [],
};

/**
 * Creates the missing launch templates of a choice.
 *
 * @throws LaunchFailedError - the user data of the class cannot be built
 */
async function ensureTemplates(
  templates: LaunchTemplates,
  order: FleetOrder,
  choice: FleetChoice,
): Promise<readonly FleetTemplate[]> {
  return Promise.all(
    groupTypes(order, choice).map(async ({ content, instanceTypes }) => ({
      name: await templates.ensure(content),
      instanceTypes,
    })),
  );
}

function groupTypes(
  { claim, launchableClass, types }: FleetOrder,
  { capacityType, offerings, reservation }: FleetChoice,
): readonly TemplateGroup[] {
  const names = new Set(offerings.map(({ instanceType }) => instanceType));
  const chosen = [...names].flatMap((name) => types.get(name) ?? []);
  try {
    const { resolved, nodeClass } = launchableClass;
    return groupByTemplate(claim, resolved, nodeClass, capacityType, chosen, reservation);
  } catch (cause) {
    if (!(cause instanceof UserDataError)) throw cause;
    throw toLaunchFailedError(claim, cause);
  }
}

const toLaunchFailedError = ({ name }: NodeClaim, cause: UserDataError): LaunchFailedError =>
  new LaunchFailedError(name, cause.reason, cause.message, { cause });
