import { CRDS } from '../../shared/api/custom-resources/crds.ts';
import { CONTROLLER_GROUP } from '../../shared/kubernetes/setup/manifest.ts';
import { BINDINGS, LEASE_ROLE, ROLES, roleOf } from '../../shared/kubernetes/setup/rbac.ts';
import { CLASSES } from '../../shared/settings/tables/classes.ts';
import { PUBLISHED_EVENTS } from '../../shared/settings/tables/events.ts';
import { type Answer, wholeAnswer } from '../answer.ts';
import type { DeployedStack } from '../cluster/find-stack.ts';
import { fail } from '../errors.ts';
import { readCliSettings } from '../settings/read-settings.ts';
import type { Io } from '../terminal/io.ts';
import parts from './controller-policy.json' with { type: 'json' };

/**
 * Objects of the cluster; rights in AWS, which every controller needs; rights on the records of a stack,
 * for a controller beside it.
 */
export type SetupPart = 'kubernetes' | 'iam' | 'stack';

/** Values of the account; unknown ones stay as placeholders, such as `<region>`. */
export interface SetupValues {
  readonly cluster?: string | undefined;
  readonly region?: string | undefined;
  readonly account?: string | undefined;
  readonly nodeRole?: string | undefined;
}

/**
 * Prints what an administrator applies before `mortise controller` runs.
 *
 * @param env - the variables that the controller will have
 * @param stack - finds the stack of the cluster
 * @throws CliError - `bad-value`, if a variable is wrong; `not-found`, if there is no stack; those of `stack`
 */
export async function printSetup(
  part: SetupPart,
  values: SetupValues,
  env: Io['env'],
  stack: () => Promise<DeployedStack | undefined>,
): Promise<Answer> {
  if (part === 'kubernetes') return await objectsAnswer();
  if (part === 'iam') return policyAnswer(values, env);
  const deployed = await stack();
  if (!deployed) throw noStack(values);
  return stackAnswer(deployed);
}

const noStack = ({ cluster }: SetupValues) =>
  fail({
    code: 'not-found',
    what: cluster === undefined ? 'no cluster is named' : `no stack serves ${cluster}`,
    where: '--print-setup stack',
    why: 'the rights are those on the records of a stack',
    fix: 'check --cluster, --region and --profile',
  });

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
      format === 'yaml' ? yaml : `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects })}\n`,
  });
}

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: object;
}

function policyAnswer(values: SetupValues, env: Io['env']): Answer {
  const { kinds, bus } = readCliSettings(PUBLISHED_EVENTS, env);
  const { volumeKeys, imageParameters, followsShifts } = readCliSettings(CLASSES, env);
  const queue = env.INTERRUPTION_QUEUE?.split('/').at(-1);
  const statements: readonly Statement[] = [
    ...parts.always.Statement,
    ...(volumeKeys.length > 0 ? withList(parts.VOLUME_KEYS.Statement, volumeKeys) : []),
    ...(imageParameters.length > 0
      ? withList(parts.IMAGE_PARAMETERS.Statement, imageParameters.map(toParameterArn))
      : []),
    ...(kinds.length > 0 ? parts.EVENT_KINDS.Statement : []),
    ...(queue ? parts.INTERRUPTION_QUEUE.Statement : []),
    ...(followsShifts ? parts.ENABLE_ZONAL_SHIFT.Statement : []),
  ];
  return toAnswer(statements, { ...values, eventBus: bus, queue });
}

/** The rights on the records of a stack, which `--print-setup iam` does not print. */
function stackAnswer(stack: DeployedStack): Answer {
  const [, partition, , region, account] = stack.id.split(':');
  const { table, bucket, learnedTable, keys } = stack;
  const statements: readonly Statement[] = [
    ...parts.stack.Statement,
    ...parts.INTERRUPTION_QUEUE.Statement,
    ...(learnedTable === undefined ? [] : parts.learnedTable.Statement),
    ...(keys.length > 0 ? withList(parts.recordKeys.Statement, keys) : []),
  ];
  const queue = stack.interruptionQueue.split('/').at(-1);
  return toAnswer(statements, { partition, region, account, table, bucket, learnedTable, queue });
}

const withList = (statements: readonly Statement[], Resource: readonly string[]): readonly Statement[] =>
  statements.map((statement) => ({ ...statement, Resource }));

const toParameterArn = (name: string): string =>
  name.startsWith('arn:') ? name : `arn:<partition>:ssm:<region>:<account>:parameter/${name.replace(/^\//, '')}`;

type Placeholders = SetupValues & {
  readonly [Name in 'partition' | 'eventBus' | 'queue' | 'table' | 'learnedTable' | 'bucket']?: string | undefined;
};

function toAnswer(Statement: readonly Statement[], values: Placeholders): Answer {
  const policy = { Version: parts.always.Version, Statement };
  const text = fillIn(`${JSON.stringify(policy, undefined, 2)}\n`, values);
  return wholeAnswer({
    kind: 'ControllerSetup',
    result: { policy: JSON.parse(text) as unknown },
    text: () => text,
    manifests: () => text,
  });
}

function fillIn(text: string, values: Placeholders): string {
  const { region } = values;
  const partition = region === undefined ? undefined : partitionOf(region);
  const urlSuffix = partition === 'aws-cn' ? 'amazonaws.com.cn' : partition && 'amazonaws.com';
  return Object.entries({ partition, urlSuffix, ...values }).reduce(
    (filled, [name, value]) => (value === undefined ? filled : filled.replaceAll(`<${toKebab(name)}>`, () => value)),
    text,
  );
}

const toKebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const partitionOf = (region: string): string => {
  if (region.startsWith('cn-')) return 'aws-cn';
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
};
