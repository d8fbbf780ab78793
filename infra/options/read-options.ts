import { DEFAULT_BUS, parsePublishedKinds } from '../../shared/model/published-events/kinds.ts';
import { SIZES } from '../sizes.ts';
import { readDecisionOptions } from './decision-options.ts';
import { OptionsError } from './errors.ts';
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
  const noting: Context = (name) => {
    read.add(name);
    return context(name);
  };
  const given = readGiven(noting, problems);
  const timing = readTimingOptions(noting, problems);
  const decisions = readDecisionOptions(noting, problems);
  const target = readTarget(noting, environment, problems);
  problems.push(...contradictionsIn(given, target), ...misspelt(names, read));

  const { cluster } = given;
  if (problems.length > 0 || cluster === undefined) throw new OptionsError(problems);
  return {
    cluster,
    nodeRoles: listed(given.nodeRoles),
    windowsNodeRoles: listed(given.windowsNodeRoles),
    snapshotRetentionDays: Number(given.snapshotRetentionDays),
    redactNames: given.redactNames === 'true',
    logRetentionDays: LOG_RETENTION_DAYS.find((days) => `${days}` === given.logRetentionDays) ?? 30,
    debugFunctions: listed(given.debugFunctions),
    eventKinds: parsePublishedKinds(given.eventKinds ?? '') ?? [],
    eventBus: given.eventBus ?? DEFAULT_BUS,
    eventSource: EVENT_SOURCES.find((source) => source === given.eventSource) ?? 'auto',
    size: SIZES.find((size) => size === given.size) ?? 'small',
    timing,
    decisions,
    ...reached(given),
    ...(given.serviceCidr !== undefined && { serviceCidr: given.serviceCidr }),
    ...(given.kmsKeyArn !== undefined && { kmsKeyArn: given.kmsKeyArn }),
    ...(given.permissionsBoundary !== undefined && {
      permissionsBoundary: given.permissionsBoundary,
    }),
    ...(given.rolePath !== undefined && { rolePath: given.rolePath }),
    ...(given.learnedTable !== undefined && { learnedTable: given.learnedTable }),
    ...(given.alarmTopicArn !== undefined && { alarmTopicArn: given.alarmTopicArn }),
    ...(given.intakeConcurrency !== 'none' && {
      intakeConcurrency: Number(given.intakeConcurrency),
    }),
    ...(target && { target }),
  };
}

/** Options as text, or their defaults; one that is empty is as good as not given. */
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

const listed = (text = ''): readonly string[] => (text === '' ? [] : text.split(','));

/** How the cluster and the functions reach each other. */
const reached = ({
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
      subnetIds: listed(functionSubnets),
      securityGroupIds: listed(functionSecurityGroups),
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
function contradictionsIn(given: Given, target: MortiseOptions['target']): readonly string[] {
  const has = (name: OptionName): boolean => given[name] !== undefined;
  return [
    ...(has('endpoint') === has('certificateAuthority') ? [] : [HALF_A_SERVER]),
    ...(has('functionSubnets') === has('functionSecurityGroups') ? [] : [HALF_A_NETWORK]),
    ...(has('hookCertificateAuthority') && !has('hookAddress') ? [HALF_A_HOOK] : []),
    ...(has('hookVpcEndpoint') && has('hookAddress') ? [TWO_HOOKS] : []),
    ...(has('kmsKeyArn') && !target ? [KEY_WITHOUT_PLACE] : []),
  ];
}

const HALF_A_SERVER =
  'The options endpoint and certificateAuthority go together: give both or neither.';
const HALF_A_NETWORK =
  'The options functionSubnets and functionSecurityGroups go together: give both or neither.';
const HALF_A_HOOK = 'The option hookCertificateAuthority goes with the option hookAddress.';
const TWO_HOOKS =
  'The options hookVpcEndpoint and hookAddress each say where the hooks call: give one.';
const KEY_WITHOUT_PLACE =
  'With the option kmsKeyArn the options account and region must be known, or credentials tell them.';
