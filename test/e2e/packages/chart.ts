import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateRoleCommand } from '@aws-sdk/client-iam';
import { CreateQueueCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { parse } from 'yaml';
import { freePort } from '../lab/free-port.ts';
import { entriesOf, listAt, textAt, valueAt } from '../lab/json.ts';
import type { Program } from '../lab/programs.ts';
import { REPOSITORY } from '../lab/repository.ts';
import { runCommand } from '../lab/run-command.ts';
import { CLUSTER, type Lab } from '../lab/start-lab.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { expect, type Measures } from '../scenario.ts';
import { createWorld, NODE_CLASS } from '../world.ts';
import { findHelm } from './find-helm.ts';
import { containerCommand, unpackImage } from './image.ts';
import type { Installation } from './install.ts';
import { nodeClassFor } from './lab-objects.ts';

const CHART = join(REPOSITORY, 'charts/mortise');
const NAMESPACE = 'mortise';
const NODE_ROLE = 'ChartNodes';
const MOUNTED = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The chart, installed by Helm on the real API server. No kubelet runs here, so this process does what
 * a kubelet would: it starts a container of the image with the arguments, the environment, the kubeconfig
 * and a token of the service account of the Deployment. A pod gets a node, and a notice of EC2 replaces
 * it.
 */
export async function checkChart(lab: Lab, from: Installation): Promise<Measures> {
  const helm = await findHelm(lab.say);
  const run = (...args: readonly string[]): Promise<string> =>
    runCommand({ command: helm, args: [...args, '--kubeconfig', lab.controlPlane.kubeconfig] });
  const { QueueUrl = '' } = await lab.cloud.sqs.send(new CreateQueueCommand({ QueueName: 'chart' }));
  const values = join(lab.folder, 'values.json');
  writeFileSync(values, JSON.stringify(valuesOf(lab)));
  await run('lint', CHART, '--strict', '--values', values);
  const misspelt = run('template', CHART, '--values', values, '--set', 'settings.MAX_NODE=1');
  const refusal = await misspelt.then(String, String);
  expect(refusal.includes('MAX_NODE'), `a misspelt setting is answered by ${refusal}`);
  await run('install', 'mortise', CHART, '-n', NAMESPACE, '--create-namespace', '-f', values);

  const controller = await startContainer(lab, from);
  try {
    const AssumeRolePolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [] });
    const role = { RoleName: NODE_ROLE, AssumeRolePolicyDocument };
    await lab.cloud.iam.send(new CreateRoleCommand(role));
    await lab.kubectl(['apply', '-f', '-'], nodeClassFor(CLUSTER, NODE_ROLE));
    const ready = ['--for=condition=Ready', '--timeout=90s'];
    await lab.kubectl(['wait', `ec2nodeclass/${NODE_CLASS}`, ...ready]);

    const world = await createWorld(lab, 'chart');
    await world.pool();
    const applied = Date.now();
    await world.deployment('web', 1);
    await world.waitForRunning(1);
    const podRunningMs = Date.now() - applied;

    const [claim] = await world.claims();
    const noticed = Date.now();
    const MessageBody = spotWarning(claim?.providerId.split('/').at(-1) ?? '');
    await lab.cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
    await waitUntil(
      'another node for the pod',
      async () => {
        const [now, ...more] = await world.claims();
        return more.length === 0 && now !== undefined && now.name !== claim?.name;
      },
      { timeoutMs: 120_000 },
    );
    const replacedMs = Date.now() - noticed;
    await world.scale('web', 0);
    await lab.kubectl(['delete', 'nodepool', 'chart', '--timeout=90s']);
    return { podRunningMs, replacedMs };
  } finally {
    await controller.end();
    await run('uninstall', 'mortise', '-n', NAMESPACE);
  }
}

const valuesOf = ({ controlPlane }: Lab): object => ({
  clusterName: CLUSTER,
  clusterEndpoint: controlPlane.url,
  region: 'us-east-1',
  interruptionQueue: 'chart',
  settings: { SERVICE_CIDR: '10.100.0.0/16' },
  serviceAccount: { roleArn: 'arn:aws:iam::000000000000:role/mortise' },
});

async function startContainer(lab: Lab, { dist }: Installation): Promise<Program> {
  const get = async (kind: string, name: string): Promise<unknown> =>
    JSON.parse(await lab.kubectl(['get', kind, name, '-n', NAMESPACE, '-o', 'json']));
  const deployment = await get('deployment', 'mortise');
  const container = valueAt(deployment, 'spec', 'template', 'spec', 'containers', 0);
  const account = textAt(deployment, 'spec', 'template', 'spec', 'serviceAccountName');

  const mounts = {
    [MOUNTED]: join(lab.folder, 'service account'),
    '/etc/mortise': join(lab.folder, 'chart kubeconfig'),
  };
  for (const folder of Object.values(mounts)) mkdirSync(folder);
  const token = await lab.kubectl(['create', 'token', account, '-n', NAMESPACE]);
  writeFileSync(join(mounts[MOUNTED], 'token'), token.trim());
  writeFileSync(join(mounts[MOUNTED], 'ca.crt'), lab.controlPlane.certificateAuthority);
  const kubeconfig = textAt(await get('configmap', 'mortise'), 'data', 'kubeconfig');
  const server = textAt(parse(kubeconfig), 'clusters', '0', 'cluster', 'server');
  expect(server === lab.controlPlane.url, `the kubeconfig names ${server}`);
  writeFileSync(join(mounts['/etc/mortise'], 'kubeconfig'), kubeconfig);

  const port = await freePort();
  const environment = Object.fromEntries(
    listAt(container, 'env').map((one) => [textAt(one, 'name'), textAt(one, 'value')]),
  );
  expect(entriesOf(environment).length > 2, 'the container has no environment');
  const image = await unpackImage(dist);
  lab.say(`image ${image.digest}`);
  const ports = { METRICS_PORT: '0', HEALTH_PROBE_PORT: `${port}` };
  const program = lab.programs.start({
    name: 'chart-controller',
    ...containerCommand(image, {
      args: listAt(container, 'args').map(String),
      environment: { ...lab.awsEnvironment, ...environment, ...ports },
      mounts,
    }),
  });
  // The probe of the container.
  await lab.programs.ready(program, async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
    if (!answer.ok) throw new Error(await answer.text());
  });
  return program;
}

const spotWarning = (instance: string): string =>
  JSON.stringify({
    source: 'aws.ec2',
    'detail-type': 'EC2 Spot Instance Interruption Warning',
    time: new Date().toISOString(),
    detail: { 'instance-id': instance, 'instance-action': 'terminate' },
  });
