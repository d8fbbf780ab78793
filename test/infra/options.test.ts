import { describe, expect, it } from 'vitest';
import { OptionsError } from '../../infra/options/errors.ts';
import { readOptions } from '../../infra/options/read-options.ts';
import { stackName } from '../../infra/stack-name.ts';
import { SETTINGS } from '../../shared/settings/all-settings.ts';
import { readDecisionSettings } from '../../shared/settings/decision-settings.ts';
import type { Context } from './fixture.ts';

const read = (context: Context, environment = {}) => readOptions((name) => context[name], environment);

const KEY = 'arn:aws:kms:eu-west-1:123456789012:key/0a';

describe('options of a deployment', () => {
  it('need only the name of a cluster', () => {
    expect(read({ cluster: 'demo' })).toEqual({
      cluster: 'demo',
      size: 'small',
      nodeRoles: [],
      windowsNodeRoles: [],
      volumeKeys: [],
      imageParameters: [],
      snapshotRetentionDays: 30,
      redactNames: false,
      logRetentionDays: 30,
      debugFunctions: [],
      eventKinds: [],
      eventBus: 'default',
      intakeConcurrency: 10,
      eventSource: 'auto',
      monitoring: 'alarms',
      followsShifts: false,
      readsReservedInstances: false,
      functionSubnets: [],
      functionSecurityGroups: [],
      variables: {},
    });
  });

  it('can all be given together', () => {
    const apiServer = { endpoint: 'https://api.example.com', certificateAuthority: 'LS0tCg==' };
    const options = read({
      cluster: 'demo_2',
      account: 123456789012,
      region: 'eu-west-1',
      nodeRoles: 'nodes,gpu-nodes',
      windowsNodeRoles: 'windows-nodes',
      size: 'large',
      snapshotRetentionDays: '7',
      redactNames: true,
      logRetentionDays: 90,
      debugFunctions: 'provisioning,node-lifecycle',
      eventKinds: 'PodsWaiting,CapReached',
      eventBus: 'platform',
      alarmTopicArn: 'arn:aws:sns:eu-west-1:123456789012:alarms',
      intakeConcurrency: 0,
      eventSource: 'poll',
      hookAddress: 'https://hooks.example.com/stage/',
      hookCertificateAuthority: 'LS0tCg==',
      ...apiServer,
      serviceCidr: '10.100.0.0/16',
      learnedTable: 'learned',
      learnedTableKey: KEY,
      volumeKeys: `${KEY},${KEY}0`,
      imageParameters: '/images/*,arn:aws:ssm:eu-west-1:123456789012:parameter/shared',
      batchIdleMs: 500,
      anticipate: 'false',
      featureGates: 'NodeOverlay=true, NodeRepair=true',
      minValuesPolicy: 'BestEffort',
    });

    expect(options).toMatchObject({
      cluster: 'demo_2',
      target: { account: '123456789012', region: 'eu-west-1' },
      nodeRoles: ['nodes', 'gpu-nodes'],
      windowsNodeRoles: ['windows-nodes'],
      size: 'large',
      snapshotRetentionDays: 7,
      redactNames: true,
      logRetentionDays: 90,
      debugFunctions: ['provisioning', 'node-lifecycle'],
      eventKinds: ['PodsWaiting', 'CapReached'],
      eventBus: 'platform',
      alarmTopicArn: 'arn:aws:sns:eu-west-1:123456789012:alarms',
      intakeConcurrency: 0,
      monitoring: 'alarms',
      eventSource: 'poll',
      hook: { address: 'https://hooks.example.com/stage/', certificateAuthority: 'LS0tCg==' },
      apiServer,
      serviceCidr: '10.100.0.0/16',
      learnedTable: 'learned',
      learnedTableKey: KEY,
      volumeKeys: [KEY, `${KEY}0`],
      imageParameters: ['/images/*', 'arn:aws:ssm:eu-west-1:123456789012:parameter/shared'],
      followsShifts: false,
      readsReservedInstances: false,
      variables: {
        BATCH_IDLE_DURATION: '500ms',
        ANTICIPATE: 'false',
        FEATURE_GATES: 'NodeOverlay=true, NodeRepair=true',
        MIN_VALUES_POLICY: 'BestEffort',
      },
    });
  });

  it.each([
    [{ batchMaxMs: 999 }, 'must not be less than batchIdleMs'],
    [{ batchMaxMs: 60_001 }, 'must not be more than 60000'],
    [{ anticipate: 'maybe' }, 'must be true or false'],
  ])('are rejected if they could delay a plan for long: %o', (timing, why) => {
    expect(() => read({ cluster: 'demo', ...timing })).toThrow(why);
  });

  it.each([0, 9, '1h'])('reject %s as minutes after which a deleted cluster is ended', (minutes) => {
    expect(() => read({ cluster: 'demo', deletedClusterAfterMinutes: minutes })).toThrow(
      'must be a number of minutes from 10 to 99999',
    );
  });

  it.each([
    [{ featureGates: 'NodeOverlay' }, 'featureGates is "NodeOverlay"'],
    [{ awsFeatureGates: 'NodeClassCEL=on' }, 'must be written like'],
    [{ preferencePolicy: 'ignore' }, 'must be one of Respect, Ignore'],
    [{ minValuesPolicy: 'Some' }, 'must be one of Strict, BestEffort'],
    [{ ignoreDraRequests: 'no' }, 'must be true or false'],
    [{ committedCapacity: 'reservedInstances: [{count: 1}]' }, 'must hold reservedInstances'],
    [{ perNodeHourlyUsd: '1e3' }, 'must be an amount of 0 or more'],
    [{ isolatedVpc: 'yes' }, 'must be true or false'],
    [{ vmMemoryOverheadPercent: 7.5 }, 'must be a share from 0 to below 1'],
    [{ vmMemoryOverheadPercent: -0.1 }, 'must be a share from 0 to below 1'],
    [{ reservedEnis: -1 }, 'must be a whole number from 0 to 99'],
    [{ schedulerConfig: 'podTopologySpread: [' }, 'must hold podTopologySpread'],
    [{ schedulerConfig: '{"profiles": []}' }, 'must hold podTopologySpread'],
  ])('are rejected if no function could read them: %o', (decisions, why) => {
    expect(() => read({ cluster: 'demo', ...decisions })).toThrow(why);
  });

  it.each([
    [{ featureGates: '' }],
    [{ featureGates: 'NodeOverlay=true,,Drift=false', awsFeatureGates: 'NodeClassCEL=true' }],
    [{ preferencePolicy: 'Ignore', minValuesPolicy: 'BestEffort', ignoreDraRequests: false }],
    [{ perNodeHourlyUsd: 0.25, vmMemoryOverheadPercent: 0.1, reservedEnis: 1 }],
    [{ vmMemoryOverheadPercent: 0 }],
  ])('about decisions reach the functions unchanged: %o', (options) => {
    const { variables } = read({ cluster: 'demo', ...options });

    expect(readDecisionSettings(variables, JSON.parse).outcome).toBe('read');
  });

  it('give the functions the scheduler configuration as JSON, which they parse without a library', () => {
    const schedulerConfig = `
podTopologySpread:
  defaultConstraints:
    - { maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: ScheduleAnyway }`;

    const { variables } = read({ cluster: 'demo', schedulerConfig });

    expect(JSON.parse(variables.SCHEDULER_CONFIG ?? '')).toEqual({
      podTopologySpread: {
        defaultConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'topology.kubernetes.io/zone',
            whenUnsatisfiable: 'ScheduleAnyway',
          },
        ],
      },
    });
  });

  it.each(SETTINGS.flatMap(({ option = [] }) => option))('%s appears on its reference page', (option) => {
    const nonsense = { cluster: 'demo', [option]: '?' };

    expect(() => read(nonsense)).toThrow(option);
  });

  it('take account and region from the CDK CLI by default', () => {
    const environment = { CDK_DEFAULT_ACCOUNT: '123456789012', CDK_DEFAULT_REGION: 'eu-west-1' };
    expect(read({ cluster: 'demo' }, environment).target).toEqual({
      account: '123456789012',
      region: 'eu-west-1',
    });
  });

  it.each<[string, Context, string]>([
    ['no cluster', {}, 'add -c cluster=<name>'],
    ['a cluster that EKS would refuse', { cluster: '-demo' }, 'option cluster is "-demo"'],
    ['an ARN of another resource', { nodeRoles: 'arn:aws:iam::123456789012:user/x' }, 'names of IAM roles'],
    ['a path without a role', { nodeRoles: 'platform/' }, 'names of IAM roles'],
    ['a wildcard for roles', { nodeRoles: '*' }, 'no wildcards'],
    ['a network without groups', { functionSubnets: 'subnet-0a0a0a0a' }, 'go together'],
    ['subnets by name', { functionSubnets: 'private-a', functionSecurityGroups: 'sg-0a0a0a0a' }, 'ids of subnets'],
    ['a source that nobody knows', { eventSource: 'watch' }, 'one of auto, hook, poll, controller'],
    ['hooks over http', { hookAddress: 'http://host/' }, 'must be an https URL'],
    ['hooks with a query', { hookAddress: 'https://host/?a' }, 'without user, query and fragment'],
    ['hooks with a user', { hookAddress: 'https://me@host/' }, 'without user, query'],
    ['a VPC endpoint by name', { hookVpcEndpoint: 'execute-api' }, 'like vpce-0a1b2c3d4e5f60718'],
    [
      'two addresses',
      { hookVpcEndpoint: 'vpce-0a1b2c3d4e5f60718', hookAddress: 'https://host/' },
      'each say where the hooks call',
    ],
    ['an authority for no address', { hookCertificateAuthority: 'LS0tCg==' }, 'goes with the option'],
    ['a table by ARN', { learnedTable: 'arn:aws:dynamodb:a:1:table/b' }, 'not its ARN'],
    ['a key by alias', { kmsKeyArn: 'alias/mine' }, 'not of an alias'],
    ['a key of volumes by alias', { volumeKeys: 'alias/mine' }, 'not of aliases'],
    ['every parameter', { imageParameters: '*' }, 'names of SSM parameters'],
    ['a parameter without its slash', { imageParameters: 'images' }, 'names of SSM parameters'],
    ['the key of no table', { learnedTableKey: KEY }, 'give both, or neither'],
    ['a key without a place', { kmsKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/0a' }, 'must be known'],
    ['a role without a name', { nodeRoles: 'nodes,' }, 'names of IAM roles'],
    ['a redaction of something', { redactNames: 'pods' }, 'true or false'],
    ['no retention', { snapshotRetentionDays: 0 }, 'from 1 to 3650'],
    ['days that CloudWatch does not know', { logRetentionDays: 31 }, 'must be one of 1, 3, 5'],
    ['a kind of event that does not exist', { eventKinds: 'NodeDied' }, 'some of NodeLaunched'],
    ['a bus by ARN', { eventBus: 'arn:aws:events:a:1:event-bus/b' }, 'not its ARN'],
    ['a function that does not exist', { debugFunctions: 'sweep,swep' }, 'some of provisioning'],
    ['a topic by name', { alarmTopicArn: 'alarms' }, 'ARN of an SNS topic'],
    ['a negative concurrency', { intakeConcurrency: -1 }, 'from 0 to 1000, or none'],
    ['a boundary by name', { permissionsBoundary: 'boundary' }, 'ARN of an IAM policy'],
    ['a path without slashes', { rolePath: 'mortise' }, 'like /mortise/'],
    ['a list where text belongs', { nodeRoles: ['a'] }, 'option nodeRoles is ["a"]'],
    ['a region alone', { region: 'eu-west-1' }, 'account must be 12 digits'],
    ['an account alone', { account: '123456789012' }, 'region must be like eu-west-1'],
    ['an endpoint without TLS', { endpoint: 'http://a', certificateAuthority: '' }, 'an https URL'],
    ['an endpoint alone', { endpoint: 'https://a' }, 'endpoint and certificateAuthority go together'],
    ['an address instead of a range', { serviceCidr: '10.100.0.1' }, 'a range of addresses'],
  ])('are rejected with a sentence: %s', (name, context, sentence) => {
    const cluster = name.includes('cluster') ? {} : { cluster: 'demo' };
    expect(() => read({ ...cluster, ...context })).toThrow(OptionsError);
    expect(() => read({ ...cluster, ...context })).toThrow(sentence);
  });

  it.each([
    ['maxHourlyUSD', 'There is no option maxHourlyUSD; maxHourlyUsd is meant, it seems.'],
    ['nodeRole', 'There is no option nodeRole; nodeRoles is meant, it seems.'],
    ['clutser', 'There is no option clutser; cluster is meant, it seems.'],
  ])('are rejected if a name is almost right: %s', (name, sentence) => {
    const context: Context = { cluster: 'demo', [name]: '7' };
    const result = () => readOptions((one) => context[one], {}, Object.keys(context));

    expect(result).toThrow(sentence);
  });

  it('tolerate context values of other tools', () => {
    const names = ['@aws-cdk/aws-iam:minimizePolicies', 'aws:cdk:bundling-stacks', 'cli-telemetry'];
    const result = () =>
      readOptions((name) => (name === 'cluster' ? 'demo' : undefined), {}, [
        ...names,
        'cluster',
        'account',
        'environment',
      ]);

    expect(result).not.toThrow();
  });

  it('report all errors at once', () => {
    const wrong = () => read({ cluster: 'demo', snapshotRetentionDays: 'x', intakeConcurrency: 'y' });
    expect(wrong).toThrow(/intakeConcurrency is "y".*\n.*snapshotRetentionDays is "x"/);
  });
});

describe('the source of events', () => {
  const sourceIn = (region: string, context: Context = {}) => {
    const options = read({ cluster: 'demo', account: '123456789012', region, ...context });
    return [options.eventSource, options.eventSourceReason];
  };
  const WITHOUT = ['ap-east-2', 'eu-south-2', 'il-central-1', 'me-central-1', 'us-gov-west-1'];

  it.each(WITHOUT)('is poll by default in %s, which has no function URLs', (region) => {
    const reason = `Lambda has no function URLs in ${region}, so a function looks for pending pods every five seconds.`;
    expect(sourceIn(region)).toEqual(['poll', reason]);
  });

  it.each(['eu-west-1', 'us-east-1', 'cn-north-1'])('is decided at deployment in %s', (region) => {
    expect(sourceIn(region)).toEqual(['auto', undefined]);
  });

  it.each<Context>([
    { hookAddress: 'https://hooks.example.com/', eventSource: 'hook' },
    { hookVpcEndpoint: 'vpce-0a1b2c3d4e5f60718', eventSource: 'hook' },
    { eventSource: 'controller' },
  ])('is the one of the options if it needs no function URL: %j', (context) => {
    expect(sourceIn('eu-south-2', context)).toEqual([context.eventSource, undefined]);
  });

  it('cannot be hook where webhooks would have no address', () => {
    expect(() => sourceIn('eu-south-2', { eventSource: 'hook' })).toThrow(
      'Lambda has no function URLs in the region: leave the option out, which polls, or give hookVpcEndpoint or hookAddress.',
    );
  });
});

describe('the stack name', () => {
  it("contains the cluster's name in a form that CloudFormation accepts", () => {
    expect(stackName('demo')).toBe('Mortise-demo');
    expect(stackName('team_a')).toBe('Mortise-team--a');
  });
});
