import type { Answer } from '../../forward.ts';
import { type AwsRequest, CLOUD_FORMATION, getRequest, queryRequest, refuse, textOf } from './aws-request.ts';
import type { Pass, Rule } from './rule.ts';

/** How to ask for a resource by its name, by the action that creates it. */
const FIND: Readonly<Record<string, (name: string) => AwsRequest>> = {
  'iam.CreateRole': (RoleName) => queryRequest('iam', { Action: 'GetRole', RoleName }),
  'iam.CreateInstanceProfile': (InstanceProfileName) =>
    queryRequest('iam', { Action: 'GetInstanceProfile', InstanceProfileName }),
  'lambda.CreateFunction': (name) => getRequest('lambda', `/2015-03-31/functions/${name}`),
  'scheduler.CreateScheduleGroup': (name) => getRequest('scheduler', `/schedule-groups/${name}`),
};

/** The property of a resource that names it. */
const NAME_PROPERTIES = ['RoleName', 'InstanceProfileName', 'FunctionName', 'Name'] as const;

/**
 * CloudFormation does not take over a resource whose name a template fixes and that exists already, for
 * example because the deletion of another stack has retained it.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/troubleshooting.html
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html
 */
export const takenNames = (emulator: Pass): Rule => ({
  name: 'taken names',
  async answer(request, pass) {
    const find = FIND[`${request.service}.${request.action}`];
    const name = NAME_PROPERTIES.map((one) => textOf(request, one)).find((one) => one !== '');
    if (request.caller !== CLOUD_FORMATION || !find || name === undefined) return pass(request);
    const existing: Answer = await emulator(find(name));
    if (existing.status >= 300) return pass(request);
    const message = `Resource of ${request.service} with identifier '${name}' already exists.`;
    return refuse(request, 409, 'AlreadyExists', message);
  },
});
