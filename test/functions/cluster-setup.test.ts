import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { parseRequest, runRequest } from '../../functions/cluster-setup/handler.ts';
import { readSetupSettings } from '../../functions/cluster-setup/ports.ts';
import { answerCloudFormation, type Done } from '../../functions/support/cloud-formation/answer-cloud-formation.ts';
import type { CloudFormationRequest } from '../../functions/support/cloud-formation/cloud-formation-request.ts';
import { hookPortsFrom } from '../../functions/support/hook-ports.ts';
import type { NodeIdentities } from '../../shared/ports/cluster-setup.ts';
import { aFakeSetup, type FakeSetup } from '../controllers/webhooks/fake-setup.ts';
import { SETUP_ENVIRONMENT } from './fixture.ts';

const REQUEST = {
  RequestType: 'Create',
  ResponseURL: 'https://cloudformation-custom-resource-response-useast1.s3.amazonaws.com/answer?signature=1',
  StackId: 'stack',
  RequestId: 'request',
  LogicalResourceId: 'ClusterSetup',
} as const;

const SETUP_OPTIONS = {
  release: '0.1.0',
  requestedSource: 'hook',
  isInVpc: false,
  isHookPrivate: false,
} as const;

const answerSchema = z.object({
  Status: z.string(),
  Reason: z.string(),
  PhysicalResourceId: z.string(),
  Data: z.record(z.string(), z.string()),
});

/** Runs a request and returns the answer that CloudFormation receives. */
async function answerTo(work: () => Promise<Done>, over: Partial<CloudFormationRequest> = {}, remainingMs = 60_000) {
  const bodies: string[] = [];
  const put = async (_: string, body: string) => void bodies.push(body);
  const ports = { remainingMs: () => remainingMs, put };
  await answerCloudFormation(ports, { ...REQUEST, ...over }, 'cluster-setup', work);
  expect(bodies).toHaveLength(1);
  return answerSchema.parse(JSON.parse(bodies[0] ?? ''));
}

const fails = () => Promise.reject(new Error('the cluster is on fire'));

describe('CloudFormation', () => {
  it('receives the result', async () => {
    const work = async () => ({ reason: 'All well.', attributes: { EventSource: 'hook' } });
    expect(await answerTo(work)).toEqual({
      Status: 'SUCCESS',
      Reason: 'All well.',
      PhysicalResourceId: 'cluster-setup',
      Data: { EventSource: 'hook' },
    });
  });

  it('receives a sentence if the request fails', async () => {
    expect(await answerTo(fails)).toMatchObject({
      Status: 'FAILED',
      Reason: 'The cluster is on fire',
    });
  });

  it('receives an answer in time while work is still running', async () => {
    expect(await answerTo(() => new Promise(() => {}), {}, 10_001)).toMatchObject({
      Status: 'FAILED',
      Reason: 'It was not done within 0 s.',
    });
  });

  it.each(['Create', 'Update'] as const)('keeps one physical id: %s', async (RequestType) => {
    const work = async () => ({});
    const kept = { RequestType, PhysicalResourceId: 'as-it-was' };
    expect((await answerTo(work, kept)).PhysicalResourceId).toBe('as-it-was');
    expect((await answerTo(work, { RequestType })).PhysicalResourceId).toBe('cluster-setup');
  });

  it('receives SUCCESS for a deletion, with a sentence about what remains', async () => {
    expect(await answerTo(fails, { RequestType: 'Delete' })).toMatchObject({
      Status: 'SUCCESS',
      Reason: 'The cluster is on fire',
    });
  });

  it('never receives an answer above 4 KB', async () => {
    const { Reason } = await answerTo(async () => ({ reason: 'x'.repeat(9_000) }));
    expect(Reason).toHaveLength(1_000);
  });
});

describe('a request to the cluster-setup function', () => {
  it('may come from CloudFormation', () => {
    const event = { ...REQUEST, ResourceProperties: { ServiceToken: 'arn' }, ResourceType: 'x' };
    const { ResourceProperties } = event;
    expect(parseRequest(event, 'stack')).toEqual({
      from: 'cloudformation',
      request: { ...REQUEST, ResourceProperties },
    });
  });

  it('may be the hourly repair', () => {
    expect(parseRequest({ action: 'repair' }, 'stack')).toEqual({ from: 'schedule' });
  });

  it.each([['other'], [undefined]])(
    'is rejected if CloudFormation sent it for another stack: our own is %s',
    (ownStack) => {
      expect(() => parseRequest(REQUEST, ownStack)).toThrow('another stack');
    },
  );

  it.each([
    'https://cloudformation-custom-resource-response-euwest1.s3.eu-west-1.amazonaws.com/x?y=z',
    'https://cloudformation-custom-resource-response-euwest1.s3-eu-west-1.amazonaws.com/x?y=z',
    'https://cloudformation-custom-resource-response-cnnorth1.s3.cn-north-1.amazonaws.com.cn/x',
  ])("may be answered to CloudFormation's own hosts: %s", (ResponseURL) => {
    expect(parseRequest({ ...REQUEST, ResponseURL }, 'stack').from).toBe('cloudformation');
  });

  it.each([
    'https://answers.example.com/1',
    'http://cloudformation-custom-resource-response-useast1.s3.amazonaws.com/x',
    'https://cloudformation-custom-resource-response-useast1.s3.amazonaws.com.example.com/x',
    'https://cloudformation-custom-resource-response-useast1.s3.amazonaws.com@example.com/x',
    'https://bucket.s3.amazonaws.com/x',
    'http://127.0.0.1:4566/x',
  ])('is rejected if its answer would go elsewhere: %s', (ResponseURL) => {
    expect(() => parseRequest({ ...REQUEST, ResponseURL }, 'stack')).toThrow();
  });

  it('may be answered to the local AWS that the environment names, and to no other local address', () => {
    vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:4566');
    const answeredAt = (ResponseURL: string) => () => parseRequest({ ...REQUEST, ResponseURL }, 'stack');

    expect(answeredAt('http://127.0.0.1:4566/x')).not.toThrow();
    expect(answeredAt('http://127.0.0.1:80/x')).toThrow();
    vi.unstubAllEnvs();
  });

  it.each([[{}], [{ action: 'keep' }], [{ action: 'rotate-token' }], ['repair'], [undefined]])(
    'is rejected if it is neither: %j',
    (event) => {
      expect(() => parseRequest(event, 'stack')).toThrow();
    },
  );
});

describe('cluster setup', () => {
  const run = (world: FakeSetup, RequestType: 'Create' | 'Update' | 'Delete') =>
    runRequest(world.ports, SETUP_OPTIONS, { ...REQUEST, RequestType });

  it.each(['Create', 'Update'] as const)('handles %s by setting up, and returns the event source', async (type) => {
    const world = aFakeSetup();
    expect(await run(world, type)).toEqual({
      reason: 'The option eventSource says so: hook.',
      attributes: {
        EventSource: 'hook',
        Why: 'The option eventSource says so: hook.',
        LeftDefinitions: 'none',
      },
    });
    expect(world.hooks).toBe('first');
  });

  it('reports CRDs that another tool owns', async () => {
    const world = aFakeSetup();
    const remaining = [
      { name: 'nodepools.karpenter.sh', keeper: 'Helm', version: 'v1', isUsable: true },
      { name: 'nodeclaims.karpenter.sh', keeper: 'EKS', version: 'v1', isUsable: false },
    ];
    const setup = { ...world.ports.setup, apply: async () => remaining };
    const { attributes } = await runRequest({ ...world.ports, setup }, SETUP_OPTIONS, REQUEST);
    expect(attributes?.LeftDefinitions).toBe(
      'nodepools.karpenter.sh is kept by Helm; nodeclaims.karpenter.sh is kept by EKS and does not serve v1',
    );
  });

  it.each([
    [{ runningNodes: [] }, 'Nothing of ours runs on.'],
    [
      { runningNodes: [{ name: 'a', providerId: 'aws:///z/i-1' }] },
      'The role of the nodes, its access entry and the instance profiles stay. Nodes that keep running without a controller (1): a (aws:///z/i-1).',
    ],
    [
      { isHandedOver: true },
      'The role of the nodes, its access entry and the instance profiles stay. Karpenter has the cluster: its nodes were left to it as they are.',
    ],
    [
      { orphans: ['ValidatingWebhookConfiguration mortise'], why: 'no answer' },
      'could not be cleaned up (no answer). Still there may be: ValidatingWebhookConfiguration mortise.',
    ],
  ])('reports what remains after a deletion: %j', async (over, sentence) => {
    const world = aFakeSetup();
    const remove = async () => ({ orphans: [], isHandedOver: false, ...over });
    const ports = { ...world.ports, setup: { ...world.ports.setup, remove } };
    const done = await runRequest(ports, SETUP_OPTIONS, { ...REQUEST, RequestType: 'Delete' });
    expect(done.reason).toContain(sentence);
  });

  it.each<[string, NodeIdentities['removeUnused'], string]>([
    ['are gone', async () => undefined, 'Nothing of ours runs on.'],
    [
      'are in use',
      async () => ({ role: 'MortiseNode-demo-1', profiles: ['demo_1'] }),
      'The role MortiseNode-demo-1 and its access entry stay: instance profiles contain it (demo_1). Nothing of ours runs on.',
    ],
    [
      'cannot be reached',
      () => Promise.reject(new Error('IAM does not answer')),
      'The role of the nodes and their instance profiles may remain (IAM does not answer). Nothing of ours runs on.',
    ],
  ])('succeeds in deleting, and says so, if the identities of nodes %s', async (_, removeUnused, reason) => {
    const ports = { ...aFakeSetup().ports, nodeIdentities: { removeUnused } };
    const deletion = { ...REQUEST, RequestType: 'Delete' } as const;
    expect(await runRequest(ports, SETUP_OPTIONS, deletion)).toEqual({ reason });
  });

  it.each([{ runningNodes: [{ name: 'a', providerId: 'aws:///z/i-1' }] }, { isHandedOver: true }])(
    'leaves nodes that run on what they authenticate with: %j',
    async (over) => {
      const world = aFakeSetup();
      const remove = async () => ({ orphans: [], isHandedOver: false, ...over });
      const ports = { ...world.ports, setup: { ...world.ports.setup, remove } };
      await runRequest(ports, SETUP_OPTIONS, { ...REQUEST, RequestType: 'Delete' });
      expect(world.done).not.toContain('remove identities');
    },
  );
});

describe('settings of cluster setup', () => {
  it('come from the environment', () => {
    expect(readSetupSettings(SETUP_ENVIRONMENT)).toEqual({
      roleArn: SETUP_ENVIRONMENT.ROLE_ARN,
      cluster: 'demo',
      region: 'us-east-1',
      endpoint: SETUP_ENVIRONMENT.CLUSTER_ENDPOINT,
      certificateAuthority: '-----BEGIN CERTIFICATE-----',
      table: 'state',
      sweepQueue: SETUP_ENVIRONMENT.SWEEP_QUEUE,
      eventSource: 'auto',
      knowsNetwork: true,
      isInVpc: false,
      isHookPrivate: false,
      intake: {
        address: SETUP_ENVIRONMENT.HOOK_ADDRESS,
        tokenSecret: 'secret',
        functionName: 'intake',
      },
    });
  });

  it('have no intake if the stack has none, and then place no webhooks', async () => {
    const { HOOK_ADDRESS: _, HOOK_TOKEN_SECRET: __, INTAKE_FUNCTION: ___, ...rest } = SETUP_ENVIRONMENT;
    const environment = { ...rest, EVENT_SOURCE: 'poll', EVENT_SOURCE_REASON: 'no function URLs' };
    const settings = readSetupSettings(environment);
    expect(settings).not.toHaveProperty('intake');
    expect(settings).toMatchObject({ eventSource: 'poll', eventSourceReason: 'no function URLs' });
    const { tokens, intake, setup } = hookPortsFrom(settings);
    const token = { text: 'token', createdAt: 0 };
    const all = [tokens.read(), tokens.propose(), tokens.promote(), intake.admit([])];
    for (const call of [...all, setup.placeHooks(token)]) await expect(call).rejects.toThrow(/intake|address/);
  });

  it("may name another certificate authority than Amazon's", () => {
    const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
    const authoritiesOf = (HOOK_CA: string) => readSetupSettings({ ...SETUP_ENVIRONMENT, HOOK_CA }).intake?.authorities;

    expect(authoritiesOf('MIIB')).toBe(pem);
    expect(authoritiesOf(Buffer.from(pem).toString('base64'))).toBe(pem);
  });
});
