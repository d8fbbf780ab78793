import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  CloudFormationClient,
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStacksCommand,
  waitUntilStackCreateComplete,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { CREDENTIALS, REGION } from '../lab/aws/emulators.ts';
import { CLUSTER, type Lab } from '../lab/start-lab.ts';
import { expect, type Measures } from '../scenario.ts';
import type { Installation } from './install.ts';
import { settingsOf } from './lab-objects.ts';
import { runPod } from './run-pod.ts';

const STACK = `Mortise-${CLUSTER}`;
const BUCKET = 'platform';
const PREFIX = 'mortise/';
const TEMPLATE = 'template.json';
const MAX_STACK_SECONDS = 600;
/** CloudFormation's limit of a template in S3. */
const MAX_TEMPLATE_BYTES = 1_000_000;

/**
 * `mortise template` from the tarball, uploaded and created by the calls of S3 and CloudFormation
 * that the Terraform module makes: a pod gets a node.
 */
export async function checkTemplate(lab: Lab, from: Installation): Promise<Measures> {
  const folder = join(from.folder, 'stack folder');
  const settings = Object.entries(settingsOf(lab)).flatMap(([name, value]) => [...['--set', `${name}=${value}`]]);
  const start = Date.now();
  await from.mortise('template', '--cluster', CLUSTER, '--out', folder, ...settings);
  const writtenMs = Date.now() - start;
  const templateBytes = statSync(join(folder, TEMPLATE)).size;
  expect(templateBytes < MAX_TEMPLATE_BYTES, `the template has ${templateBytes} bytes`);
  const archiveBytes = await upload(lab, folder);

  const formation = formationOf(from);
  const deploying = Date.now();
  const outputs = await createStack(formation);
  const deployMs = Date.now() - deploying;
  const role = outputs.get('NodeRoleName') ?? '';
  expect(role !== '', 'the stack does not name the role of the nodes');
  const { world, podRunningMs } = await runPod(lab, { id: 'template', role });

  await from.mortise('uninstall', '--cluster', CLUSTER, '--yes', CLUSTER, '--crds');
  // The CRDs are gone, so that no NodeClaim can be listed.
  const remaining = [...(await world.instances()), ...(await world.nodes())];
  expect(remaining.length === 0, `uninstall did not remove ${remaining.join(', ')}`);
  await formation.send(new DeleteStackCommand({ StackName: STACK }));
  await waitUntilStackDeleteComplete(waiterOf(formation), { StackName: STACK });
  return { writtenMs, templateBytes, archiveBytes, deployMs, podRunningMs };
}

/** @returns the size of all archives */
async function upload({ cloud: { s3 } }: Lab, folder: string): Promise<number> {
  await s3.send(new CreateBucketCommand({ Bucket: BUCKET }));
  const put = async (name: string, path: string): Promise<number> => {
    const Body = readFileSync(path);
    await s3.send(new PutObjectCommand({ Bucket: BUCKET, Key: `${PREFIX}${name}`, Body }));
    return Body.length;
  };
  await put(TEMPLATE, join(folder, TEMPLATE));
  const code = join(folder, 'code');
  const archives = readdirSync(code);
  expect(archives.length > 0, 'there is no archive');
  const sizes = await Promise.all(archives.map((name) => put(name, join(code, name))));
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

const formationOf = ({ environment }: Installation): CloudFormationClient =>
  new CloudFormationClient({
    endpoint: environment.AWS_ENDPOINT_URL ?? '',
    region: REGION,
    credentials: {
      accessKeyId: CREDENTIALS.AWS_ACCESS_KEY_ID,
      secretAccessKey: CREDENTIALS.AWS_SECRET_ACCESS_KEY,
    },
  });

const waiterOf = (client: CloudFormationClient) => ({
  client,
  maxWaitTime: MAX_STACK_SECONDS,
  minDelay: 1,
  maxDelay: 2,
});

/** @returns the outputs by name */
async function createStack(formation: CloudFormationClient): Promise<ReadonlyMap<string, string>> {
  await formation.send(
    new CreateStackCommand({
      StackName: STACK,
      // The local CloudFormation reads the bucket from the path only.
      TemplateURL: `https://s3.${REGION}.amazonaws.com/${BUCKET}/${PREFIX}${TEMPLATE}`,
      Parameters: [
        { ParameterKey: 'CodeBucket', ParameterValue: BUCKET },
        { ParameterKey: 'CodePrefix', ParameterValue: PREFIX },
      ],
      Capabilities: ['CAPABILITY_NAMED_IAM'],
    }),
  );
  await waitUntilStackCreateComplete(waiterOf(formation), { StackName: STACK });
  const { Stacks: [stack] = [] } = await formation.send(new DescribeStacksCommand({ StackName: STACK }));
  return new Map(stack?.Outputs?.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
}
