import { DescribeSecurityGroupsCommand } from '@aws-sdk/client-ec2';
import { GetFunctionUrlConfigCommand, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, type QueueAttributeName } from '@aws-sdk/client-sqs';
import { deploy } from '../lab/aws/deploy.ts';
import { ACCOUNT, REGION } from '../lab/aws/emulators.ts';
import type { Lab } from '../lab/start-lab.ts';
import { findSubnets } from '../packages/doctor-breakages.ts';
import { applyNodeClass } from '../prepare-lab.ts';
import { expect, type Scenario } from '../scenario.ts';

/** A customer key. The rules evaluate its use, and the emulators encrypt nothing. */
const KEY = `arn:aws:kms:${REGION}:${ACCOUNT}:key/0a1b2c3d-1111-4222-8333-444455556666`;

/** The quota of concurrency in a new account, which leaves nothing to reserve. */
const NEW_ACCOUNT = 10;

export const failedFirst: Scenario = {
  name: 'a first deployment that fails leaves nothing behind, and can be repeated, with a customer key',
  id: 'failed-first',
  isOnce: true,
  async run(lab, world) {
    await lab.deployment.destroy();
    await lab.resources.remember('destroyed');

    lab.quotas.concurrency = NEW_ACCOUNT;
    await expectFailure(lab, { intakeConcurrency: '10' }, /intakeConcurrency=none/);
    lab.quotas.concurrency = 1_000;
    lab.eks.authenticateBy('CONFIG_MAP');
    await expectFailure(lab, { intakeConcurrency: 'none' }, /authentication mode/);
    lab.eks.authenticateBy('API_AND_CONFIG_MAP');

    await deploy(lab, { kmsKeyArn: KEY });
    const QueueUrl = lab.deployment.output('InterruptionQueue');
    const AttributeNames: QueueAttributeName[] = ['KmsMasterKeyId'];
    const read = new GetQueueAttributesCommand({ QueueUrl, AttributeNames });
    const { KmsMasterKeyId } = (await lab.cloud.sqs.send(read)).Attributes ?? {};
    expect(KmsMasterKeyId === KEY, `the queue has the key ${KmsMasterKeyId}`);
    await applyNodeClass(lab);
    await world.pool();
    await world.deployment('web', 1);
    await world.waitForRunning(1);
    return {};
  },
};

async function expectFailure(lab: Lab, options: Readonly<Record<string, string>>, reason: RegExp): Promise<void> {
  const failure = await deploy(lab, options).then(
    () => 'the deployment has succeeded',
    (error: unknown) => String(error),
  );
  expect(reason.test(failure), `${reason} is not the reason: ${failure.slice(0, 2_000)}`);
  await lab.deployment.destroy();
  const added = await lab.resources.addedSince('destroyed');
  expect(added.length === 0, `the failed deployment has left ${added.join(', ')}`);
}

export const privateNetwork: Scenario = {
  name: 'functions in private subnets poll, without any function URL, with a customer key',
  id: 'private',
  async run(lab, world) {
    const { SecurityGroups = [] } = await lab.cloud.ec2.send(new DescribeSecurityGroupsCommand({}));
    const start = Date.now();
    await deploy(lab, {
      eventSource: 'poll',
      functionSubnets: (await findSubnets(lab)).join(','),
      functionSecurityGroups: SecurityGroups[0]?.GroupId ?? '',
      // Webhooks only.
      hookAddress: '',
      hookCertificateAuthority: '',
    });
    const deployMs = Date.now() - start;
    const urls = await listFunctionUrls(lab);
    expect(urls.length === 0, `there are function URLs: ${urls.join(', ')}`);
    await world.pool();
    await world.deployment('web', 1);
    await world.waitForRunning(1);
    await deploy(lab, { functionSubnets: '', functionSecurityGroups: '' });
    return { deployMs };
  },
};

async function listFunctionUrls({ cloud: { lambda } }: Lab): Promise<readonly string[]> {
  const { Functions = [] } = await lambda.send(new ListFunctionsCommand({}));
  const urls = await Promise.all(
    Functions.map(({ FunctionName }) =>
      lambda.send(new GetFunctionUrlConfigCommand({ FunctionName })).then(
        ({ FunctionUrl = '' }) => [FunctionUrl],
        () => [],
      ),
    ),
  );
  return urls.flat();
}
