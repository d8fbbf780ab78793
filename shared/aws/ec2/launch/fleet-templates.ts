import { LaunchFailedError } from '../../../model/errors.ts';
import type { InstanceType } from '../../../model/instance-type.ts';
import type { NodeClaim } from '../../../model/node-claim.ts';
import { UserDataError } from '../../../ec2/node-class/user-data/errors.ts';
import { type TemplateGroup, templateGroups } from '../../../ec2/node-class/launch-template/template-groups.ts';
import type { FleetChoice, FleetTemplate } from './fleet-request.ts';
import type { LaunchableClass } from '../../node-class/launchable-class.ts';
import type { LaunchTemplates } from '../../node-class/launch-templates.ts';

interface Order {
  readonly claim: NodeClaim;
  readonly found: LaunchableClass;
  readonly types: ReadonlyMap<string, InstanceType>;
}

/**
 * The launch templates for a choice, made where they are missing.
 *
 * @throws LaunchFailedError - the class's user data cannot become a node's
 */
export async function fleetTemplates(
  templates: LaunchTemplates,
  order: Order,
  choice: FleetChoice,
): Promise<readonly FleetTemplate[]> {
  return Promise.all(
    groupsOf(order, choice).map(async ({ content, instanceTypes }) => ({
      name: await templates.ensure(content),
      instanceTypes,
    })),
  );
}

function groupsOf(
  { claim, found, types }: Order,
  { capacityType, offerings, reservation }: FleetChoice,
): readonly TemplateGroup[] {
  const names = new Set(offerings.map(({ instanceType }) => instanceType));
  const chosen = [...names].flatMap((name) => types.get(name) ?? []);
  try {
    const { resolved, nodeClass } = found;
    return templateGroups(claim, resolved, nodeClass, capacityType, chosen, reservation);
  } catch (cause) {
    if (!(cause instanceof UserDataError)) throw cause;
    throw cannotStart(claim, cause);
  }
}

const cannotStart = ({ name }: NodeClaim, cause: UserDataError): LaunchFailedError =>
  new LaunchFailedError(name, cause.reason, cause.message, { cause });
