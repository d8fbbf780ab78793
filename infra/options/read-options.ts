import { parse } from 'yaml';
import { findNearestWord } from '../../shared/model/nearest-word.ts';
import {
  type RefusedSetting,
  readOrDefault,
  readSettings,
  type Setting,
  type StackOption,
} from '../../shared/settings/setting.ts';
import { BATCHES } from '../../shared/settings/tables/batches.ts';
import { CLASSES } from '../../shared/settings/tables/classes.ts';
import { DECISIONS } from '../../shared/settings/tables/decisions.ts';
import { CAPS, DELETED_CLUSTERS } from '../../shared/settings/tables/limits.ts';
import { OptionsError } from './errors.ts';
import { chooseSource } from './event-sources.ts';
import type { Context, MortiseOptions, OptionValues, Variables } from './options.ts';
import { SHARED_OPTIONS, STACK_OPTIONS } from './stack-options.ts';

const { volumeKeys, imageParameters, ...otherClassSettings } = CLASSES;

/** The settings that the stack passes to its functions without reading them. */
const PASSED = { ...BATCHES, ...CAPS, ...DELETED_CLUSTERS, ...DECISIONS, ...otherClassSettings } as const;

/** The names of the options that are properties `settings` of the construct. */
export type PassedOption = (typeof PASSED)[keyof typeof PASSED]['option'];

/**
 * @param names - all names in the context, to report misspelt options
 * @throws OptionsError - during synthesis, so that a wrong option deploys nothing
 */
export function readOptions(
  context: Context,
  environment: CliEnvironment,
  names: readonly string[] = [],
): MortiseOptions {
  const problems: string[] = [];
  const read = new Set<string>();
  const recordingContext: Context = (name) => {
    read.add(name);
    return context(name);
  };
  const values = readValues(recordingContext, problems);
  const variables = readVariables(recordingContext, problems);
  const target = readTarget(recordingContext, environment, problems);
  const { cluster, endpoint, certificateAuthority, functionSubnets, hookAddress } = values;
  const { committedCapacity } = readSettings(DECISIONS, variables).values;
  const source = chooseSource({
    eventSource: values.eventSource,
    hasOwnAddress: hookAddress !== undefined || values.hookVpcEndpoint !== undefined,
    region: target?.region,
  });
  if (!source) problems.push(HOOK_WITHOUT_URL);
  problems.push(...listContradictions(values, target), ...misspelt(names, read));

  if (problems.length > 0 || cluster === undefined || !source) throw new OptionsError(problems);
  return {
    ...values,
    ...source,
    cluster,
    variables,
    followsShifts: readSettings(CLASSES, variables).values.followsShifts,
    readsReservedInstances: committedCapacity?.accountShare !== undefined,
    target,
    apiServer:
      endpoint !== undefined && certificateAuthority !== undefined ? { endpoint, certificateAuthority } : undefined,
    network:
      functionSubnets.length > 0
        ? { subnetIds: functionSubnets, securityGroupIds: values.functionSecurityGroups }
        : undefined,
    hook:
      hookAddress === undefined
        ? undefined
        : { address: hookAddress, certificateAuthority: values.hookCertificateAuthority },
  };
}

/** An empty text counts as not given. */
function readValues(context: Context, problems: string[]): OptionValues {
  const options: Readonly<Record<string, StackOption>> = { ...STACK_OPTIONS, ...SHARED_OPTIONS };
  const entries = Object.entries(options).map(([name, option]) => {
    const given = context(name) ?? '';
    const { value, refused } = readOrDefault(option, toText(given), parse);
    if (refused) problems.push(toProblem(name, given, refused));
    return [name, value] as const;
  });
  // Each name has the value that the form of its option returns.
  return Object.fromEntries(entries) as OptionValues;
}

/** Checks the settings of the functions that are given. */
function readVariables(context: Context, problems: string[]): Variables {
  const variables: Record<string, string> = {};
  for (const { option = '', variable, form, unit = '' } of Object.values<Setting>(PASSED)) {
    const given = context(option);
    if (given === undefined) continue;
    const bare = toText(given);
    const text = /^\d+$/.test(bare) ? `${bare}${unit}` : bare;
    const reading = form.read(text, parse);
    if (reading.outcome === 'refused') problems.push(toProblem(option, given, reading));
    else variables[variable] = form.isDocument ? JSON.stringify(parse(text)) : text;
  }
  problems.push(...listTimingProblems(variables));
  return variables;
}

const toText = (given: unknown): string => (typeof given === 'string' ? given : JSON.stringify(given));

const toProblem = (name: string, given: unknown, { why }: RefusedSetting): string =>
  `The option ${name} is ${JSON.stringify(given)}; it ${why}.`;

/** Half of the time limit of the function that collects the pods of a batch. */
const MAX_BATCH_MS = 60_000;

function listTimingProblems(variables: Variables): readonly string[] {
  const { idleMs, maxMs } = readSettings(BATCHES, variables).values;
  return [...(maxMs < idleMs ? [BATCH_BELOW_IDLE] : []), ...(maxMs > MAX_BATCH_MS ? [BATCH_TOO_LONG] : [])];
}

const BATCH_BELOW_IDLE = 'The option batchMaxMs must not be less than batchIdleMs.';
const BATCH_TOO_LONG = 'The option batchMaxMs must not be more than 60000.';

/** Finds options that contradict each other, or that need another option. */
function listContradictions(values: OptionValues, target: MortiseOptions['target']): readonly string[] {
  const has = (name: keyof OptionValues): boolean => values[name] !== undefined;
  return [
    ...(has('endpoint') === has('certificateAuthority') ? [] : [INCOMPLETE_SERVER]),
    ...((values.functionSubnets.length === 0) === (values.functionSecurityGroups.length === 0)
      ? []
      : [INCOMPLETE_NETWORK]),
    ...(has('hookCertificateAuthority') && !has('hookAddress') ? [CA_WITHOUT_HOOK] : []),
    ...(has('hookVpcEndpoint') && has('hookAddress') ? [TWO_HOOK_ADDRESSES] : []),
    ...(has('alarmTopicArn') && values.monitoring === 'none' ? [TOPIC_WITHOUT_ALARMS] : []),
    ...(has('learnedTableKey') && !has('learnedTable') ? [KEY_WITHOUT_TABLE] : []),
    ...(has('kmsKeyArn') && !target ? [KEY_WITHOUT_TARGET] : []),
  ];
}

const INCOMPLETE_SERVER = 'The options endpoint and certificateAuthority go together: give both or neither.';
const INCOMPLETE_NETWORK = 'The options functionSubnets and functionSecurityGroups go together: give both or neither.';
const CA_WITHOUT_HOOK = 'The option hookCertificateAuthority goes with the option hookAddress.';
const TWO_HOOK_ADDRESSES = 'The options hookVpcEndpoint and hookAddress each say where the hooks call: give one.';
const HOOK_WITHOUT_URL =
  'The option eventSource is hook, but Lambda has no function URLs in the region: leave the option out, which polls, or give hookVpcEndpoint or hookAddress.';
const TOPIC_WITHOUT_ALARMS =
  'The option alarmTopicArn names a topic for alarms, and monitoring is none: leave one of them out.';
const KEY_WITHOUT_TABLE =
  'The option learnedTableKey is the key of the table in the option learnedTable: give both, or neither.';
const KEY_WITHOUT_TARGET =
  'With the option kmsKeyArn the options account and region must be known, or credentials tell them.';

/**
 * Finds names in the context that are almost the name of an option. A misspelt option would be
 * missing when it is needed (a limit, for example). Other tools have context names of their own,
 * which are left alone.
 *
 * @param given - names in the context
 * @param optionNames - names of all options
 */
const misspelt = (given: readonly string[], optionNames: ReadonlySet<string>): readonly string[] =>
  given.flatMap((name) => {
    const meant = optionNames.has(name) ? undefined : findNearestWord(name, optionNames);
    return meant === undefined ? [] : [`There is no option ${name}; ${meant} is meant, it seems.`];
  });

/** Account and region of the CDK CLI's credentials. */
interface CliEnvironment {
  readonly CDK_DEFAULT_ACCOUNT?: string | undefined;
  readonly CDK_DEFAULT_REGION?: string | undefined;
}

/**
 * Reads the account and region of the stack: from the options, else from the CDK CLI's credentials.
 *
 * @returns `undefined` if neither has them, or if an option is wrong; errors are added to `problems`
 */
function readTarget(context: Context, environment: CliEnvironment, problems: string[]): MortiseOptions['target'] {
  const account = context('account') ?? environment.CDK_DEFAULT_ACCOUNT;
  const region = context('region') ?? environment.CDK_DEFAULT_REGION;
  if (context('account') === undefined && context('region') === undefined) {
    return typeof account === 'string' && typeof region === 'string' ? { account, region } : undefined;
  }

  const problemsBefore = problems.length;
  // The command line may have read the digits of an account as a number.
  const digits = String(account);
  if (!/^\d{12}$/.test(digits)) {
    problems.push('The option account must be 12 digits, and goes with the option region.');
  }
  if (typeof region !== 'string' || !/^[a-z]{2}(-[a-z]+)+-\d$/.test(region)) {
    problems.push('The option region must be like eu-west-1, and goes with the option account.');
    return undefined;
  }
  return problems.length > problemsBefore ? undefined : { account: digits, region };
}
