import { CloudFormationClient, DescribeStacksCommand, ListStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { DescribeAccessEntryCommand, DescribeClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import { GetRoleCommand, IAMClient, SimulatePrincipalPolicyCommand } from '@aws-sdk/client-iam';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import { evaluateFacts } from '../../../cli/doctor/evaluate.ts';
import { readFacts } from '../../../cli/doctor/read-facts.ts';
import { CRDS } from '../../../shared/api/custom-resources/crds.ts';
import type { ApiRequest, ApiResponse, KubernetesApi } from '../../../shared/kubernetes/client/kubernetes-api.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import { aLiveNode, aLiveNodeClaim, NOON_TEXT } from '../../kubernetes/support/live-objects.ts';
import { aWrittenClass } from '../../support/node-classes.ts';

const SETTINGS = {
  region: 'eu-west-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
};
const NODE_ROLE = 'arn:aws:iam::123456789012:role/Nodes';
const named = (name: string): Error => Object.assign(new Error('no'), { name });

/** A stack that serves two clusters. CloudFormation lists its resources on two pages. */
const RESOURCES = [
  ['AWS::SQS::Queue', 'QueuesPlan'],
  ['AWS::Lambda::Function', 'GamesWebhookControl'],
  ['AWS::Lambda::Function', 'ShopWebhookControl'],
  ['AWS::SQS::Queue', 'QueuesPlanDeadLetters'],
].map(([ResourceType = '', name = '']) => ({
  LogicalResourceId: name,
  PhysicalResourceId: ResourceType === 'AWS::SQS::Queue' ? `https://sqs/${name}` : name,
  ResourceType,
  ResourceStatus: 'CREATE_COMPLETE' as const,
  LastUpdatedTimestamp: new Date(0),
}));

/** An account with a healthy stack; each test breaks a part of it. */
function anAccount() {
  const clients = {
    eks: new EKSClient(SETTINGS),
    iam: new IAMClient(SETTINGS),
    lambda: new LambdaClient(SETTINGS),
    sqs: new SQSClient(SETTINGS),
    cloudFormation: new CloudFormationClient(SETTINGS),
  };
  const eks = mockClient(clients.eks);
  const iam = mockClient(clients.iam);
  const lambda = mockClient(clients.lambda);
  const sqs = mockClient(clients.sqs);
  const cloudFormation = mockClient(clients.cloudFormation);
  eks
    .on(DescribeClusterCommand)
    .resolves({ cluster: { version: '1.36', accessConfig: { authenticationMode: 'API' } } });
  eks.on(DescribeAccessEntryCommand).resolves({ accessEntry: { type: 'EC2_LINUX' } });
  iam.on(GetRoleCommand).callsFake(({ RoleName }: { RoleName: string }) => ({
    Role: { Arn: `arn:aws:iam::123456789012:role/${RoleName}` },
  }));
  sqs.on(GetQueueAttributesCommand).resolves({ Attributes: { ApproximateNumberOfMessages: '0' } });
  cloudFormation.on(DescribeStacksCommand).resolves({
    Stacks: [{ StackName: 'Mortise-shop', StackStatus: 'UPDATE_COMPLETE', CreationTime: new Date(0) }],
  });
  cloudFormation
    .on(ListStackResourcesCommand)
    .resolves({ StackResourceSummaries: RESOURCES.slice(0, 2), NextToken: 'more' })
    .on(ListStackResourcesCommand, { NextToken: 'more' })
    .resolves({ StackResourceSummaries: RESOURCES.slice(2) });
  for (const [cluster, FunctionName] of [
    ['games', 'GamesWebhookControl'],
    ['shop', 'ShopWebhookControl'],
  ] as const) {
    lambda.on(GetFunctionConfigurationCommand, { FunctionName }).resolves({
      Environment: {
        Variables: {
          CLUSTER_NAME: cluster,
          HOOK_ADDRESS: `https://${cluster}/`,
          SETUP_FUNCTION: `${cluster}-setup`,
        },
      },
    });
  }
  return { clients, mocks: { eks, iam, lambda, sqs, cloudFormation } };
}

const established = (name: string) => ({
  metadata: { name, labels: { 'app.kubernetes.io/managed-by': 'mortise' } },
  spec: { versions: [{ name: 'v1', served: true }] },
  status: { conditions: [{ type: 'Established', status: 'True' }] },
});
const CRD_ROOT = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
const aPoolObject = {
  metadata: { name: 'general' },
  spec: { template: { spec: { nodeClassRef, requirements: [] } } },
};

const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/mortise';
const hooksAt = (url: string) => ({
  webhooks: [{ name: 'claims.mortise.sh', clientConfig: { url } }],
});

const A_LIST = { metadata: { resourceVersion: '1' } };

/** The objects of a healthy cluster, by path. */
const objects = (): Map<string, unknown> =>
  new Map<string, unknown>([
    ...CRDS.map(({ metadata: { name } }) => [`${CRD_ROOT}/${name}`, established(name)] as const),
    [HOOKS, hooksAt('https://shop/h/shop/secret')],
    ['/apis/karpenter.k8s.aws/v1/ec2nodeclasses', { items: [aWrittenClass({ role: 'Nodes' })] }],
    ['/apis/karpenter.sh/v1/nodepools', { items: [aPoolObject] }],
    ['/apis/coordination.k8s.io/v1/leases', { items: [] }],
    ['/api/v1/nodes', { ...A_LIST, items: [] }],
    ['/apis/karpenter.sh/v1/nodeclaims', { ...A_LIST, items: [] }],
  ]);

const apiOver = (stored: ReadonlyMap<string, unknown>): KubernetesApi => {
  const send = async ({ path }: ApiRequest): Promise<ApiResponse> =>
    stored.has(path)
      ? { status: 200, body: stored.get(path) }
      : { status: 404, body: { kind: 'Status', reason: 'NotFound' } };
  return {
    send,
    read: async (request) => (await send(request)).body,
    stream: () => Promise.reject(new Error('no watch here')),
  };
};

const installation = {
  release: '0.1.0',
  eventSource: 'hook',
  why: 'the endpoint is public',
  isEgressRouted: false,
  hasOtherHooks: false,
  hooks: { state: 'placed', since: 0 },
} as const;

const LATER = Date.parse(NOON_TEXT) + HOUR_MS;

/** Reads a set-up and returns the findings that are not ok. */
async function diagnose(
  { clients }: Pick<ReturnType<typeof anAccount>, 'clients'>,
  stored: ReadonlyMap<string, unknown> = objects(),
  now = LATER,
) {
  const facts = await readFacts({
    ...clients,
    cluster: 'shop',
    now: () => now,
    api: apiOver(stored),
    stackName: 'Mortise-shop',
    installations: { find: async () => installation },
  });
  return evaluateFacts(facts)
    .filter(({ status }) => status !== 'ok')
    .map(({ id, status, evidence }) => `${status} ${id}: ${evidence}`);
}

const NOT_READY = `fail nodes/health: node node-1 is NotReady since ${NOON_TEXT}`;

describe('the facts of a set-up', () => {
  it('have no finding if nothing is broken', async () => {
    expect(await diagnose(anAccount())).toEqual([]);
  });

  it.each([
    ['a minute after it was created', 1, {}, []],
    ['once its start has taken 15 minutes', 15, {}, [NOT_READY]],
    ['after it was initialized', 1, { 'karpenter.sh/initialized': 'true' }, [NOT_READY]],
  ])('have a node that is not ready %s', async (_, minutes, more, expected) => {
    const notReady = { type: 'Ready', status: 'False', lastTransitionTime: NOON_TEXT };
    const labels = { 'karpenter.sh/nodepool': 'general', ...more };
    const status = { conditions: [notReady] };
    const stored = objects().set('/api/v1/nodes', {
      ...A_LIST,
      items: [aLiveNode({ metadata: { labels, creationTimestamp: NOON_TEXT }, status })],
    });
    const now = Date.parse(NOON_TEXT) + minutes * MINUTE_MS;

    expect(await diagnose(anAccount(), stored, now)).toEqual(expected);
  });

  it('have the nodes that are not ready, and the drains that wait for a change', async () => {
    const notReady = { type: 'Ready', status: 'False', lastTransitionTime: NOON_TEXT };
    const stuck = { type: 'Drained', status: 'Unknown', reason: 'DrainStuck', message: 'a budget' };
    const labels = { 'karpenter.sh/nodepool': 'general' };
    const stored = objects()
      .set('/api/v1/nodes', {
        ...A_LIST,
        items: [
          aLiveNode({ metadata: { labels }, status: { conditions: [notReady] } }),
          aLiveNode({ name: 'node-2', metadata: { labels } }),
        ],
      })
      .set('/apis/karpenter.sh/v1/nodeclaims', {
        ...A_LIST,
        items: [aLiveNodeClaim({ status: { conditions: [stuck] } })],
      });

    expect(await diagnose(anAccount(), stored)).toEqual([
      NOT_READY,
      'warn nodes/drains: NodeClaim general-1 does not leave: a budget',
    ]);
  });

  it.each([
    ['implicitDeny', 'ipv6', ['warn nodes/ipv6: the cluster uses IPv6, and role Nodes may not']],
    ['allowed', 'ipv6', []],
    ['implicitDeny', 'ipv4', []],
  ] as const)(
    'show whether nodes may assign addresses: %s in a cluster with %s',
    async (EvalDecision, ipFamily, expected) => {
      const account = anAccount();
      account.mocks.eks.on(DescribeClusterCommand).resolves({
        cluster: {
          ...{ version: '1.36', accessConfig: { authenticationMode: 'API' } },
          kubernetesNetworkConfig: { ipFamily },
        },
      });
      account.mocks.iam.on(SimulatePrincipalPolicyCommand).resolves({
        EvaluationResults: [{ EvalActionName: 'ec2:AssignIpv6Addresses', EvalDecision }],
      });

      const findings = await diagnose(account);
      expect(findings.map((text) => text.split(' ec2:')[0])).toEqual(expected);
    },
  );

  it('show a role without access entry', async () => {
    const account = anAccount();
    account.mocks.eks
      .on(DescribeAccessEntryCommand, { principalArn: NODE_ROLE })
      .rejects(named('ResourceNotFoundException'));

    expect(await diagnose(account)).toEqual([
      'fail nodes/access-entry: no access entry for role Nodes: nodes of EC2NodeClass default cannot join',
    ]);
  });

  it('show a role that was deleted', async () => {
    const account = anAccount();
    account.mocks.iam.on(GetRoleCommand, { RoleName: 'Nodes' }).rejects(named('NoSuchEntityException'));

    expect(await diagnose(account)).toEqual([
      'fail nodes/access-entry: no IAM role Nodes, which EC2NodeClass default names',
    ]);
  });

  it('show a deleted CRD and deleted webhooks', async () => {
    const stored = objects();
    stored.delete(`${CRD_ROOT}/nodepools.karpenter.sh`);
    stored.delete(HOOKS);

    expect(await diagnose(anAccount(), stored)).toEqual([
      'fail cluster/crds: nodepools.karpenter.sh is not installed',
      'fail hook/placed: the webhook configuration mortise is missing',
    ]);
  });

  it('show subnets that no selector finds', async () => {
    const stored = objects();
    const condition = { type: 'SubnetsReady', status: 'False', message: 'no subnet matches' };
    stored.set('/apis/karpenter.k8s.aws/v1/ec2nodeclasses', {
      items: [
        {
          ...aWrittenClass({ role: 'Nodes' }),
          status: { conditions: [condition] },
        },
      ],
    });

    expect(await diagnose(anAccount(), stored)).toEqual([
      'fail nodes/classes: EC2NodeClass default: SubnetsReady: no subnet matches',
    ]);
  });

  it('show a class and a pool from which Karpenter launches and Mortise does not', async () => {
    const stored = objects();
    const amiSelectorTerms = [{ alias: 'bottlerocket@latest' }];
    const spec = { role: 'Nodes', amiSelectorTerms, kubelet: { podsPerCore: 4 } };
    const status = { conditions: [{ type: 'Ready', status: 'True' }] };
    stored.set('/apis/karpenter.k8s.aws/v1/ec2nodeclasses', {
      items: [{ ...aWrittenClass(spec), status }],
    });
    const taint = { key: 'a', effect: 'NoSchedule' };
    const template = { spec: { nodeClassRef, requirements: [], taints: [taint, taint] } };
    stored.set('/apis/karpenter.sh/v1/nodepools', {
      items: [{ ...aPoolObject, spec: { template }, status }],
    });

    expect(await diagnose(anAccount(), stored)).toEqual([
      'fail nodes/classes: EC2NodeClass default: Mortise launches nothing from it: spec.kubelet.podsPerCore: podsPerCore: nodes of family Bottlerocket cannot be told',
      'fail pools/ready: NodePool general: Mortise launches nothing from it: spec.template.spec.taints[1]: taint a:NoSchedule is there twice',
    ]);
  });

  it('show dead letters, and no other queue', async () => {
    const account = anAccount();
    account.mocks.sqs.on(GetQueueAttributesCommand).resolves({ Attributes: { ApproximateNumberOfMessages: '3' } });

    expect(await diagnose(account)).toEqual(['warn queue/dead-letters: 3 messages in QueuesPlanDeadLetters']);
  });

  it('show a queue that was deleted', async () => {
    const account = anAccount();
    account.mocks.sqs
      .on(GetQueueAttributesCommand, { QueueUrl: 'https://sqs/QueuesPlan' })
      .rejects(named('QueueDoesNotExist'));

    expect(await diagnose(account)).toEqual(['fail queue/exists: the queue QueuesPlan of the stack was deleted']);
  });

  it('show webhooks that call the intake of another cluster in the same stack', async () => {
    const stored = objects();
    stored.set(HOOKS, hooksAt('https://games/h/games/secret'));

    expect(await diagnose(anAccount(), stored)).toEqual([
      'fail hook/placed: the webhook claims.mortise.sh calls https://games/h/games/, not https://shop/h/shop/',
    ]);
  });

  it('name what the credentials do not allow, and check the rest', async () => {
    const account = anAccount();
    account.mocks.iam.on(GetRoleCommand).rejects(named('AccessDenied'));

    expect(await diagnose(account)).toEqual([
      'unknown nodes/access-entry: EKS: AWS does not allow it: no',
      'unknown nodes/ipv6: EKS: AWS does not allow it: no',
    ]);
  });
});
