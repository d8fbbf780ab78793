import { MONITORING_LEVELS } from '../../shared/model/metrics/alarm-metrics.ts';
import { DEFAULT_BUS, parsePublishedKinds } from '../../shared/model/published-events/kinds.ts';
import { SIZES } from '../sizes.ts';
import { readDecisionOptions } from './decision-options.ts';
import { OptionsError } from './errors.ts';
import { chooseSource } from './event-sources.ts';
import { FORMATS, type OptionFormat, type OptionName } from './formats.ts';
import { misspelt } from './misspelt.ts';
import { type Context, EVENT_SOURCES, LOG_RETENTION_DAYS, type MortiseOptions } from './options.ts';
import { type CliEnvironment, readTarget } from './target.ts';
import { readTimingOptions } from './timing-options.ts';

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
  const given = readGiven(recordingContext, problems);
  const timing = readTimingOptions(recordingContext, problems);
  const decisions = readDecisionOptions(recordingContext, problems);
  const target = readTarget(recordingContext, environment, problems);
  const source = chooseSource({
    eventSource: EVENT_SOURCES.find((name) => name === given.eventSource) ?? 'auto',
    hasOwnAddress: given.hookAddress !== undefined || given.hookVpcEndpoint !== undefined,
    region: target?.region,
  });
  if (!source) problems.push(HOOK_WITHOUT_URL);
  problems.push(...listContradictions(given, target), ...misspelt(names, read));

  const { cluster } = given;
  if (problems.length > 0 || cluster === undefined || !source) throw new OptionsError(problems);
  return {
    cluster,
    nodeRoles: toList(given.nodeRoles),
    windowsNodeRoles: toList(given.windowsNodeRoles),
    volumeKeys: toList(given.volumeKeys),
    imageParameters: toList(given.imageParameters),
    snapshotRetentionDays: Number(given.snapshotRetentionDays),
    redactNames: given.redactNames === 'true',
    logRetentionDays: LOG_RETENTION_DAYS.find((days) => `${days}` === given.logRetentionDays) ?? 30,
    debugFunctions: toList(given.debugFunctions),
    eventKinds: parsePublishedKinds(given.eventKinds ?? '') ?? [],
    eventBus: given.eventBus ?? DEFAULT_BUS,
    ...source,
    monitoring: MONITORING_LEVELS.find((level) => level === given.monitoring) ?? 'alarms',
    size: SIZES.find((size) => size === given.size) ?? 'small',
    timing,
    decisions,
    ...toAccess(given),
    ...(given.serviceCidr !== undefined && { serviceCidr: given.serviceCidr }),
    ...(given.kmsKeyArn !== undefined && { kmsKeyArn: given.kmsKeyArn }),
    ...(given.permissionsBoundary !== undefined && {
      permissionsBoundary: given.permissionsBoundary,
    }),
    ...(given.rolePath !== undefined && { rolePath: given.rolePath }),
    ...(given.learnedTable !== undefined && { learnedTable: given.learnedTable }),
    ...(given.learnedTableKey !== undefined && { learnedTableKey: given.learnedTableKey }),
    ...(given.alarmTopicArn !== undefined && { alarmTopicArn: given.alarmTopicArn }),
    ...(given.intakeConcurrency !== 'none' && {
      intakeConcurrency: Number(given.intakeConcurrency),
    }),
    ...(target && { target }),
  };
}

/** Options as text, or their defaults. An empty text counts as not given. */
type Given = { readonly [Name in OptionName]?: string };

function readGiven(context: Context, problems: string[]): Given {
  const formats: readonly (readonly [string, OptionFormat])[] = Object.entries(FORMATS);
  return Object.fromEntries(
    formats.flatMap(([name, { isValid, problem, otherwise = '' }]) => {
      const value = context(name) ?? otherwise;
      const isPlain = typeof value === 'number' || typeof value === 'boolean';
      const text = isPlain ? String(value) : value;
      if (text === '' && name !== 'cluster') return [];
      if (typeof text === 'string' && isValid(text)) return [[name, text]];
      problems.push(`The option ${name} is ${JSON.stringify(value)}; it ${problem}.`);
      return [];
    }),
  );
}

const toList = (text = ''): readonly string[] => (text === '' ? [] : text.split(','));

/** Converts the options that say how the cluster and the functions reach each other. */
const toAccess = ({
  endpoint,
  certificateAuthority,
  functionSubnets,
  functionSecurityGroups,
  hookAddress: address,
  hookCertificateAuthority: hookAuthority,
  hookVpcEndpoint,
}: Given): Pick<MortiseOptions, 'apiServer' | 'network' | 'hook' | 'hookVpcEndpoint'> => ({
  ...(endpoint !== undefined &&
    certificateAuthority !== undefined && { apiServer: { endpoint, certificateAuthority } }),
  ...(functionSubnets !== undefined && {
    network: {
      subnetIds: toList(functionSubnets),
      securityGroupIds: toList(functionSecurityGroups),
    },
  }),
  ...(address !== undefined && {
    hook: {
      address,
      ...(hookAuthority !== undefined && { certificateAuthority: hookAuthority }),
    },
  }),
  ...(hookVpcEndpoint !== undefined && { hookVpcEndpoint }),
});

/** Finds options that contradict each other, or that need another option. */
function listContradictions(given: Given, target: MortiseOptions['target']): readonly string[] {
  const has = (name: OptionName): boolean => given[name] !== undefined;
  return [
    ...(has('endpoint') === has('certificateAuthority') ? [] : [INCOMPLETE_SERVER]),
    ...(has('functionSubnets') === has('functionSecurityGroups') ? [] : [INCOMPLETE_NETWORK]),
    ...(has('hookCertificateAuthority') && !has('hookAddress') ? [CA_WITHOUT_HOOK] : []),
    ...(has('hookVpcEndpoint') && has('hookAddress') ? [TWO_HOOK_ADDRESSES] : []),
    ...(has('alarmTopicArn') && given.monitoring === 'none' ? [TOPIC_WITHOUT_ALARMS] : []),
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
