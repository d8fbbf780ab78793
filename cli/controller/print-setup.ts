import { CRDS } from '../../shared/api/custom-resources/crds.ts';
import { CONTROLLER_GROUP } from '../../shared/kubernetes/setup/manifest.ts';
import { BINDINGS, LEASE_ROLE, ROLES, roleOf } from '../../shared/kubernetes/setup/rbac.ts';
import { EVENT_SOURCE } from '../../shared/model/published-events/kinds.ts';
import { type Answer, wholeAnswer } from '../answer.ts';
import policy from './controller-policy.json' with { type: 'json' };
import { isZonalShiftEnabled, readCliEventSettings } from './controller-settings.ts';

/** Objects of the cluster, or rights in AWS; a controller without the stack needs both. */
export type SetupPart = 'kubernetes' | 'iam';

/** Values of the account; unknown ones stay as placeholders, such as `<region>`. */
export interface SetupValues {
  readonly cluster?: string;
  readonly region?: string;
  readonly account?: string;
  readonly nodeRole?: string;
}

/** Variables of the controller for which it needs further rights. */
interface SetupVariables {
  readonly EVENT_KINDS?: string | undefined;
  readonly EVENT_BUS?: string | undefined;
  readonly INTERRUPTION_QUEUE?: string | undefined;
  readonly ENABLE_ZONAL_SHIFT?: string | undefined;
}

/**
 * Prints what an administrator applies before `mortise controller` runs without the stack.
 *
 * @param env - the variables that the controller will have
 * @throws CliError - `bad-value`, if a variable is wrong
 */
export async function printSetup(
  part: SetupPart,
  values: SetupValues,
  env: SetupVariables,
): Promise<Answer> {
  return part === 'iam' ? policyAnswer(values, env) : await objectsAnswer();
}

async function objectsAnswer(): Promise<Answer> {
  const { stringify } = await import('yaml');
  const names = [roleOf(CONTROLLER_GROUP), LEASE_ROLE.metadata.name];
  const isOurs = ({ metadata }: { metadata: { name: string } }) => names.includes(metadata.name);
  const objects = [...CRDS, ...ROLES.filter(isOurs), ...BINDINGS.filter(isOurs)];
  const yaml = objects.map((object) => stringify(object)).join('---\n');
  return wholeAnswer({
    kind: 'ControllerSetup',
    result: { objects },
    names: objects.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`),
    text: () => yaml,
    manifests: (format) =>
      format === 'yaml'
        ? yaml
        : `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects })}\n`,
  });
}

function policyAnswer(values: SetupValues, env: SetupVariables): Answer {
  const { Statement, ...others } = policy;
  const whole = { ...others, Statement: [...Statement, ...listFurtherRights(env)] };
  const text = fillIn(`${JSON.stringify(whole, undefined, 2)}\n`, values);
  return wholeAnswer({
    kind: 'ControllerSetup',
    result: { policy: JSON.parse(text) as unknown },
    text: () => text,
    manifests: () => text,
  });
}

function listFurtherRights(env: SetupVariables) {
  const { kinds, bus } = readCliEventSettings(env);
  const { INTERRUPTION_QUEUE } = env;
  const queue = INTERRUPTION_QUEUE?.split('/').at(-1);
  const arn = (service: string, name: string) =>
    `arn:<partition>:${service}:<region>:<account>:${name}`;
  return [
    ...(kinds.length > 0
      ? [
          {
            Effect: 'Allow',
            Action: ['events:PutEvents'],
            Resource: arn('events', `event-bus/${bus}`),
            Condition: { StringEquals: { 'events:source': EVENT_SOURCE } },
          },
        ]
      : []),
    ...(queue
      ? [
          {
            Effect: 'Allow',
            Action: ['sqs:GetQueueUrl', 'sqs:ReceiveMessage', 'sqs:DeleteMessage'],
            Resource: arn('sqs', queue),
          },
        ]
      : []),
    ...(isZonalShiftEnabled(env)
      ? [
          {
            Effect: 'Allow',
            Action: ['arc-zonal-shift:GetManagedResource'],
            Resource: '*',
            Condition: {
              StringEquals: {
                'arc-zonal-shift:ResourceIdentifier': arn('eks', 'cluster/<cluster>'),
              },
            },
          },
        ]
      : []),
  ];
}

function fillIn(text: string, values: SetupValues): string {
  const { region, account, nodeRole, cluster } = values;
  const partition = region === undefined ? undefined : partitionOf(region);
  const valueByName = { partition, region, account, cluster, 'node-role': nodeRole };
  return Object.entries(valueByName).reduce(
    (filled, [name, value]) =>
      value === undefined ? filled : filled.replaceAll(`<${name}>`, () => value),
    text,
  );
}

const partitionOf = (region: string): string => {
  if (region.startsWith('cn-')) return 'aws-cn';
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
};
