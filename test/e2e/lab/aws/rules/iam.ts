import type { Answer } from '../../forward.ts';
import { launchTemplates } from '../ec2/launch-features.ts';
import { type AwsRequest, CLOUD_FORMATION, formOf, queryRequest, refuse, textOf } from './aws-request.ts';
import type { Pass, Rule } from './rule.ts';

/**
 * A role cannot be deleted while an instance profile has it, neither by a request nor by CloudFormation.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_DeleteRole.html, "DeleteConflict"
 */
export const rolesInProfiles = (emulator: Pass): Rule => ({
  name: 'roles in instance profiles',
  async answer(request, pass) {
    if (request.service !== 'iam' || request.action !== 'DeleteRole') return pass(request);
    const RoleName = textOf(request, 'RoleName');
    const Action = 'ListInstanceProfilesForRole';
    const profiles = (await emulator(queryRequest('iam', { Action, RoleName }))).body.toString();
    if (!profiles.includes('<InstanceProfileName>')) return pass(request);
    const message = 'Cannot delete entity, must remove roles from instance profile first.';
    return refuse(request, 409, 'DeleteConflict', message);
  },
});

/** How long other services do not know a new role or instance profile. */
const PROPAGATION_MS = 10_000;

const createdIn = ({ status, body }: Answer): number =>
  status < 300 ? Date.parse(/<CreateDate>([^<]+)</.exec(body.toString())?.[1] ?? '') : Number.POSITIVE_INFINITY;

/** Finds the instance profile that a launch names, itself or in its launch template. */
function createProfileFinder() {
  const templates = launchTemplates();
  return {
    read(request: AwsRequest): void {
      if (request.service === 'ec2' && request.action === 'CreateLaunchTemplate') templates.read(formOf(request));
    },
    find(request: AwsRequest): string | undefined {
      const own = textOf(request, 'IamInstanceProfile.Name');
      const template =
        textOf(request, 'LaunchTemplate.LaunchTemplateName') ||
        textOf(request, 'LaunchTemplateConfigs.1.LaunchTemplateSpecification.LaunchTemplateName');
      return own || templates.find(template).get('IamInstanceProfile.Name') || undefined;
    },
  };
}

const isLaunch = ({ service, action }: AwsRequest): boolean =>
  service === 'ec2' && (action === 'RunInstances' || action === 'CreateFleet');

const refuseProfile = (request: AwsRequest, profile: string): Answer => {
  const message = `Value (${profile}) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name`;
  return refuse(request, 400, 'InvalidParameterValue', message);
};

/**
 * EC2 launches no instance with an instance profile that does not exist or has no role. The emulator of
 * EC2 does not know the profiles.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/troubleshooting-iam.html
 */
export function knownProfiles(emulator: Pass): Rule {
  const profiles = createProfileFinder();
  return {
    name: 'known instance profiles',
    async answer(request, pass) {
      profiles.read(request);
      const profile = isLaunch(request) ? profiles.find(request) : undefined;
      if (profile === undefined) return pass(request);
      const existing = await getProfile(emulator, profile);
      const hasRole = existing.status < 300 && existing.body.toString().includes('<RoleName>');
      return hasRole ? pass(request) : refuseProfile(request, profile);
    },
  };
}

const getProfile = (emulator: Pass, InstanceProfileName: string): Promise<Answer> =>
  emulator(queryRequest('iam', { Action: 'GetInstanceProfile', InstanceProfileName }));

/**
 * IAM is eventually consistent: EC2, Lambda and EventBridge Scheduler know a new role or instance
 * profile after seconds. CloudFormation waits for its own roles.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot.html, "Changes that I make are not always immediately visible"
 */
export function propagation(emulator: Pass, now: () => number = Date.now): Rule {
  const profiles = createProfileFinder();
  const isNew = (created: number): boolean => now() - created < PROPAGATION_MS;

  return {
    name: 'propagation',
    isDelay: true,
    async answer(request, pass) {
      profiles.read(request);
      const profile = isLaunch(request) ? profiles.find(request) : undefined;
      if (profile !== undefined && isNew(createdIn(await getProfile(emulator, profile))))
        return refuseProfile(request, profile);

      const role = assumedRole(request);
      if (role === undefined) return pass(request);
      const created = createdIn(await emulator(queryRequest('iam', { Action: 'GetRole', RoleName: role })));
      if (!isNew(created)) return pass(request);
      return request.service === 'lambda'
        ? refuse(
            request,
            400,
            'InvalidParameterValueException',
            'The role defined for the function cannot be assumed by Lambda.',
          )
        : refuse(
            request,
            400,
            'ValidationException',
            'The execution role you provide must allow AWS EventBridge Scheduler to assume the role.',
          );
    },
  };
}

/** The name of the role that a new function or schedule is to assume. */
function assumedRole(request: AwsRequest): string | undefined {
  const { service, action, caller, parameters } = request;
  if (caller === CLOUD_FORMATION) return undefined;
  const arn =
    service === 'lambda' && action === 'CreateFunction'
      ? textOf(request, 'Role')
      : service === 'scheduler' && action === 'CreateSchedule'
        ? JSON.stringify(parameters.Target ?? '')
        : '';
  return /role\/(?:[^"/]+\/)*([^"/]+)/.exec(arn)?.[1];
}
