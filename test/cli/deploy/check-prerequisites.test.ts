import { DescribeClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import { checkPrerequisites } from '../../../cli/deploy/check-prerequisites.ts';
import { findSourceReason } from '../../../cli/deploy/deploy.ts';
import { CliError } from '../../../cli/errors.ts';

const SETTINGS = {
  region: 'eu-west-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
};
const GOOD = {
  status: 'ACTIVE',
  version: '1.36',
  accessConfig: { authenticationMode: 'API' },
} as const;

function clients(cluster: object = GOOD, bootstrap = '21') {
  const eks = new EKSClient(SETTINGS);
  const ssm = new SSMClient(SETTINGS);
  const mocks = { eks: mockClient(eks), ssm: mockClient(ssm) };
  mocks.eks.on(DescribeClusterCommand, { name: 'shop' }).resolves({ cluster });
  mocks.ssm
    .on(GetParameterCommand, { Name: '/cdk-bootstrap/hnb659fds/version' })
    .resolves({ Parameter: { Value: bootstrap } });
  return { eks, ssm, mocks };
}

const named = (name: string): Error => Object.assign(new Error('no'), { name });

describe('the checks before a deployment', () => {
  it('report no problem for a bootstrapped account with a current cluster', async () => {
    expect(await checkPrerequisites('shop', clients())).toEqual({
      problems: [],
      unchecked: [],
      region: 'eu-west-1',
    });
  });

  it('name everything that is missing at once, each with its fix', async () => {
    const old = { ...GOOD, version: '1.29', accessConfig: { authenticationMode: 'CONFIG_MAP' } };
    const { problems } = await checkPrerequisites('shop', clients(old, '5'));

    expect(problems.map(({ what, fix }) => [what, fix])).toEqual([
      [
        'the cluster has no access entries',
        'aws eks update-cluster-config --name shop --access-config authenticationMode=API_AND_CONFIG_MAP',
      ],
      ['Kubernetes 1.29 is too old', 'upgrade to 1.31 or newer'],
      [
        'version 5 of the CDK bootstrap is too old',
        'npx cdk bootstrap aws://<account>/eu-west-1, once per account and region',
      ],
    ]);
  });

  it('name a cluster that does not exist and an account without bootstrap', async () => {
    const { mocks, ...given } = clients();
    mocks.eks.on(DescribeClusterCommand).rejects(named('ResourceNotFoundException'));
    mocks.ssm.on(GetParameterCommand).rejects(named('ParameterNotFound'));
    const { problems } = await checkPrerequisites('shop', given);

    expect(problems.map(({ code, what }) => [code, what])).toEqual([
      ['not-found', 'no EKS cluster shop'],
      ['prerequisite-missing', 'the account is not bootstrapped for the CDK'],
    ]);
  });

  it('are skipped where the credentials may only assume the roles of the CDK', async () => {
    const { mocks, ...given } = clients();
    mocks.eks.on(DescribeClusterCommand).rejects(named('AccessDeniedException'));
    mocks.ssm.on(GetParameterCommand).rejects(named('AccessDeniedException'));

    expect(await checkPrerequisites('shop', given)).toEqual({
      region: 'eu-west-1',
      problems: [],
      unchecked: [
        'EKS cluster shop not checked: eks:DescribeCluster is not allowed',
        'bootstrap of the CDK not checked: ssm:GetParameter is not allowed',
      ],
    });
  });

  it('stop when credentials are expired', async () => {
    const { mocks, ...given } = clients();
    mocks.eks.on(DescribeClusterCommand).rejects(named('ExpiredTokenException'));

    await expect(checkPrerequisites('shop', given)).rejects.toMatchObject({
      problems: [{ code: 'credentials-expired' }],
    });
  });

  it('stop when AWS does not answer in time, whatever the SDK waits for', async () => {
    const never = () => new Promise<never>(() => undefined);
    const given = {
      eks: new EKSClient({ ...SETTINGS, credentials: never }),
      ssm: new SSMClient(SETTINGS),
    };
    const refused: unknown = await checkPrerequisites('shop', given, 20).catch(
      (error: unknown) => error,
    );

    expect(refused).toBeInstanceOf(CliError);
    expect(refused).toMatchObject({ problems: [{ code: 'aws-unreachable' }] });
  });
});

describe('a deployment into a region without function URLs', () => {
  it('says that it polls, unless the options decide or name another address', () => {
    const region = 'eu-south-2';
    expect(findSourceReason({}, region)).toContain('Lambda has no function URLs in eu-south-2');
    expect(findSourceReason({ eventSource: 'auto' }, region)).toContain('eu-south-2');
    expect(findSourceReason({ eventSource: 'poll' }, region)).toBeUndefined();
    expect(findSourceReason({ hookVpcEndpoint: 'vpce-0a0a0a0a' }, region)).toBeUndefined();
    expect(findSourceReason({}, 'eu-west-1')).toBeUndefined();
  });
});
