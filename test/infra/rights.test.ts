import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FUNCTION_GROUPS, SETUP_GROUPS } from '../../shared/kubernetes/setup/manifest.ts';
import { allowed, aTemplate, propertiesIn, rightsOf } from './fixture.ts';

const template = aTemplate({
  nodeRoles: 'nodes,gpu-nodes',
  committedCapacity: '{readReservedInstances: true}',
});
const WORKERS = [
  'Provisioning',
  'NodeLifecycle',
  'Disruption',
  'Interruption',
  'Sweep',
  'NodeClass',
] as const;
const OURS = {
  StringEquals: { 'aws:ResourceTag/kubernetes.io/cluster/demo': 'owned' },
  StringLike: { 'aws:ResourceTag/karpenter.sh/nodepool': '*' },
};
const TAGGED = {
  StringEquals: {
    'aws:RequestTag/kubernetes.io/cluster/demo': 'owned',
    'aws:RequestTag/eks:eks-cluster-name': 'demo',
  },
  StringLike: { 'aws:RequestTag/karpenter.sh/nodepool': '*' },
};

const statementsFor = (name: string, action: string) =>
  rightsOf(template, name).filter(({ actions }) => actions.includes(action));

/** Lists the queues that the function may send to. */
const sendsTo = (name: string): readonly string[] =>
  statementsFor(name, 'sqs:SendMessage')
    .flatMap(({ resources }) => resources)
    .map((resource) => resource.replace(/^<(?:Queues)?(.*).{8}>$/, '$1'))
    .toSorted();

const PROVISION = ['Provisioning', 'NodeLifecycle', 'Disruption'];
const LAUNCH = [...PROVISION, 'NodeClass'];
const QUEUE_READERS = [...WORKERS, 'PollWorker'];
const SETUP = ['ClusterSetup', 'WebhookControl'];
const OTHERS = ['EventIntake', 'CatalogRefresh', 'DeployCheck'];
const FUNCTIONS = [...QUEUE_READERS, ...OTHERS, ...SETUP];
const STATEFUL = [...QUEUE_READERS, ...SETUP];

/** Each permission of the stack's functions: what it is for, and the functions that have it. */
const PERMISSIONS: readonly (readonly [
  action: string,
  purpose: string,
  functions: readonly string[],
])[] = [
  ['cloudwatch:GetMetricStatistics', 'reads how long webhook calls take', ['Sweep']],
  ['dynamodb:BatchGetItem', 'reads many rows at once', [...WORKERS]],
  ['dynamodb:DeleteItem', 'deletes rows: what has ended, or moves to another layout', [...WORKERS]],
  ['dynamodb:GetItem', 'reads rows', STATEFUL],
  ['dynamodb:PutItem', 'writes rows', STATEFUL],
  ['dynamodb:Query', 'lists rows of one partition', [...WORKERS]],
  ['ec2:CreateFleet', "launches instances with the cluster's tags", LAUNCH],
  ['ec2:CreateLaunchTemplate', "creates launch templates with the cluster's tags", LAUNCH],
  ['ec2:CreateTags', 'tags what it creates; the sweep names instances', [...LAUNCH, 'Sweep']],
  ['ec2:DeleteLaunchTemplate', "deletes the cluster's launch templates", ['NodeClass', 'Sweep']],
  ['ec2:DescribeCapacityReservations', 'resolves reservations', ['NodeClass']],
  ['ec2:DescribeImages', 'resolves images', ['NodeClass']],
  ['ec2:DescribeInstanceStatus', "reads EC2's status checks", ['Sweep']],
  [
    'ec2:DescribeInstanceTypeOfferings',
    'reads where types are sold',
    [...PROVISION, 'Sweep', 'CatalogRefresh'],
  ],
  ['ec2:DescribeInstanceTypes', 'reads the instance types', ['CatalogRefresh']],
  ['ec2:DescribeInstances', 'reads instances', [...LAUNCH, 'Sweep']],
  ['ec2:DescribeLaunchTemplates', 'finds launch templates', [...LAUNCH, 'Sweep']],
  ['ec2:DescribePlacementGroups', 'resolves placement groups', ['NodeClass']],
  [
    'ec2:DescribeReservedInstances',
    'reads what the account has reserved, if the options ask for it',
    ['CatalogRefresh'],
  ],
  ['ec2:DescribeSecurityGroups', 'resolves security groups', ['NodeClass']],
  ['ec2:DescribeSpotPriceHistory', 'reads spot prices', [...PROVISION, 'Sweep', 'CatalogRefresh']],
  ['ec2:DescribeSubnets', 'resolves subnets', ['NodeClass']],
  ['ec2:RunInstances', 'launches the instances of a fleet', LAUNCH],
  ['ec2:TerminateInstances', "terminates the cluster's instances", ['NodeLifecycle', 'Sweep']],
  ['eks:CreateAccessEntry', 'gives node roles access to the cluster', ['NodeClass']],
  ['eks:DescribeAccessEntry', 'reads how node roles have access', ['NodeClass']],
  [
    'eks:DescribeCluster',
    "reads the cluster's network, or whether it exists",
    ['NodeClass', 'ClusterSetup', 'Sweep'],
  ],
  ['eks:DisassociateAccessPolicy', 'ends its administration of the cluster', ['ClusterSetup']],
  [
    'eks:ListAssociatedAccessPolicies',
    'reads whether it is an administrator of the cluster',
    ['ClusterSetup'],
  ],
  ['iam:AddRoleToInstanceProfile', "completes the cluster's profiles", ['NodeClass']],
  ['iam:CreateInstanceProfile', "creates profiles with the cluster's tags", ['NodeClass']],
  ['iam:DeleteInstanceProfile', "deletes the cluster's profiles", ['NodeClass', 'Sweep']],
  ['iam:GetInstanceProfile', 'reads profiles', ['NodeClass']],
  ['iam:ListInstanceProfiles', 'finds profiles of deleted node classes', ['NodeClass', 'Sweep']],
  ['iam:PassRole', 'gives nodes their role', LAUNCH],
  ['iam:RemoveRoleFromInstanceProfile', "changes the cluster's profiles", ['NodeClass', 'Sweep']],
  ['iam:TagInstanceProfile', "tags the cluster's own profiles at creation", ['NodeClass']],
  [
    'lambda:GetAccountSettings',
    "reads whether the account has room for the intake's reservation",
    ['DeployCheck'],
  ],
  ['lambda:GetFunctionConfiguration', "reads the intake's token digests", SETUP],
  [
    'lambda:InvokeFunction',
    'has webhooks withdrawn and restored, or the cluster set up again',
    ['Sweep', 'WebhookControl'],
  ],
  ['lambda:UpdateFunctionConfiguration', "writes the intake's token digests", SETUP],
  ['logs:CreateLogStream', 'writes its own log', FUNCTIONS],
  ['logs:PutLogEvents', 'writes its own log', FUNCTIONS],
  ['pricing:GetProducts', 'reads on-demand prices', ['CatalogRefresh']],
  ['s3:GetObject', 'reads the price catalogue', [...PROVISION, 'Sweep', 'CatalogRefresh']],
  [
    's3:PutObject',
    'adds decisions or writes the price catalogue',
    ['Provisioning', 'Disruption', 'Sweep', 'CatalogRefresh'],
  ],
  ['secretsmanager:GetSecretValue', 'reads the webhook token', SETUP],
  ['secretsmanager:PutSecretValue', 'creates the next webhook token', SETUP],
  ['secretsmanager:UpdateSecretVersionStage', 'ends the old webhook token', SETUP],
  ['sqs:ChangeMessageVisibility', 'receives from its own queue', QUEUE_READERS],
  ['sqs:DeleteMessage', 'receives from its own queue', QUEUE_READERS],
  ['sqs:GetQueueAttributes', 'receives from its own queue', QUEUE_READERS],
  ['sqs:GetQueueUrl', 'receives from its own queue', QUEUE_READERS],
  ['sqs:ReceiveMessage', 'receives from its own queue', QUEUE_READERS],
  [
    'sqs:SendMessage',
    'sends hints',
    FUNCTIONS.filter((name) => !['CatalogRefresh', 'DeployCheck', 'WebhookControl'].includes(name)),
  ],
  ['ssm:GetParameter', 'reads the public parameters of images', ['NodeClass']],
];

describe('each permission', () => {
  it.each(PERMISSIONS)('%s (%s) belongs to the functions that need it', (action, _, functions) => {
    const holders = FUNCTIONS.filter((name) => statementsFor(name, action).length > 0);
    expect(holders.toSorted()).toEqual(functions.toSorted());
  });

  it('has a sentence in this file', () => {
    const granted = FUNCTIONS.flatMap((name) => allowed(rightsOf(template, name), ''));
    expect([...new Set(granted)].toSorted()).toEqual(PERMISSIONS.map(([action]) => action));
  });
});

describe('reserved instances', () => {
  it('are not read unless the options ask for it', () => {
    const READ = 'ec2:DescribeReservedInstances';
    const savingsPlans = '{savingsPlans: [{type: Compute, hourlyUsd: 1, discountPercent: 20}]}';

    for (const options of [{}, { committedCapacity: savingsPlans }]) {
      const usual = aTemplate(options);
      expect(FUNCTIONS.flatMap((name) => allowed(rightsOf(usual, name), READ))).toEqual([]);
    }
  });
});

describe('the rights that neither a resource nor a tag limits', () => {
  const OWN = /^<Snapshots|:access-entry\/demo\/\*$/;
  const isUnlimited = ({ resources, conditions }: ReturnType<typeof rightsOf>[number]): boolean =>
    resources.some((resource) => resource.endsWith('*') && !OWN.test(resource)) &&
    !/(Resource|Request)Tag/.test(JSON.stringify(conditions));

  it('are those of the threat model', () => {
    const page = readFileSync(new URL('../../docs/threat-model.md', import.meta.url), 'utf8');
    const [, table = ''] = /### What the rights do not limit\n(.*?)RBAC/s.exec(page) ?? [];
    const listed = [...table.matchAll(/`([a-z0-9]+:[A-Za-z]+)`/g)].map(([, action]) => action);
    const granted = FUNCTIONS.flatMap((name) => rightsOf(template, name))
      .filter(isUnlimited)
      .flatMap(({ actions }) => actions);

    expect(listed.toSorted()).toEqual([...new Set(granted)].toSorted());
  });
});

describe('the access entries of node roles', () => {
  it('are created for the given roles only, and never with groups', () => {
    const windows = aTemplate({ nodeRoles: 'nodes', windowsNodeRoles: 'windows-nodes' });
    const [statement] = rightsOf(windows, 'NodeClass').filter(({ actions }) =>
      actions.includes('eks:CreateAccessEntry'),
    );

    expect(statement?.conditions.StringEquals).toEqual({
      'eks:accessEntryType': ['EC2_LINUX', 'EC2_WINDOWS'],
    });
    const roles = JSON.stringify(statement?.conditions.ArnEquals).matchAll(/:role\/([\w-]+)/g);
    expect([...roles].map(([, name]) => name)).toEqual(['nodes', 'windows-nodes']);
  });
});

describe('the remains of a deleted cluster', () => {
  it('are found by the sweep, which may ask for this one cluster only', () => {
    expect(statementsFor('Sweep', 'eks:DescribeCluster')).toEqual([
      {
        actions: ['eks:DescribeCluster'],
        resources: ['arn:<AWS::Partition>:eks:<AWS::Region>:<AWS::AccountId>:cluster/demo'],
        conditions: {},
      },
    ]);
  });

  it("are launch templates and instance profiles with the cluster's tags", () => {
    const conditionsOf = (action: string) =>
      statementsFor('Sweep', action).map(({ conditions }) => conditions);

    expect(conditionsOf('ec2:DeleteLaunchTemplate')).toEqual([OURS]);
    expect(conditionsOf('iam:DeleteInstanceProfile')).toEqual(
      statementsFor('NodeClass', 'iam:DeleteInstanceProfile').map(({ conditions }) => conditions),
    );
  });
});

describe('instance profiles', () => {
  const REQUESTED = {
    StringEquals: {
      'aws:RequestTag/kubernetes.io/cluster/demo': 'owned',
      'aws:RequestTag/eks:eks-cluster-name': 'demo',
      'aws:RequestTag/topology.kubernetes.io/region': { Ref: 'AWS::Region' },
    },
    StringLike: { 'aws:RequestTag/karpenter.k8s.aws/ec2nodeclass': '*' },
  };
  const OWN = {
    StringEquals: {
      'aws:ResourceTag/kubernetes.io/cluster/demo': 'owned',
      'aws:ResourceTag/topology.kubernetes.io/region': { Ref: 'AWS::Region' },
    },
    StringLike: { 'aws:ResourceTag/karpenter.k8s.aws/ec2nodeclass': '*' },
  };
  const conditionsOf = (action: string) =>
    statementsFor('NodeClass', action).map(({ conditions }) => conditions);

  it("are created with the cluster's tags", () => {
    expect(conditionsOf('iam:CreateInstanceProfile')).toEqual([REQUESTED]);
  });

  it("are tagged only if they carry the cluster's tags already, so that no other profile of the account can be claimed", () => {
    expect(conditionsOf('iam:TagInstanceProfile')).toEqual([
      {
        StringEquals: { ...REQUESTED.StringEquals, ...OWN.StringEquals },
        StringLike: { ...REQUESTED.StringLike, ...OWN.StringLike },
      },
    ]);
  });

  it.each([
    'iam:AddRoleToInstanceProfile',
    'iam:RemoveRoleFromInstanceProfile',
    'iam:DeleteInstanceProfile',
  ])("are changed and deleted only if they carry the cluster's tags: %s", (action) => {
    expect(conditionsOf(action)).toEqual([OWN]);
  });
});

describe("the stack's roles", () => {
  const rolesOf = (context: Parameters<typeof aTemplate>[0]) => [
    ...propertiesIn(aTemplate(context), 'AWS::IAM::Role').values(),
  ];

  it('all have the permissions boundary and the path of the options, the node role included', () => {
    const permissionsBoundary = 'arn:aws:iam::123456789012:policy/boundary';
    const roles = rolesOf({ permissionsBoundary, rolePath: '/mortise/' });

    expect(roles.length).toBeGreaterThan(FUNCTIONS.length);
    expect(roles.filter((role) => role.PermissionsBoundary !== permissionsBoundary)).toEqual([]);
    expect(roles.filter((role) => role.Path !== '/mortise/')).toEqual([]);
  });

  it('have neither by default', () => {
    for (const role of rolesOf({})) {
      expect(role).not.toHaveProperty('PermissionsBoundary');
      expect(role).not.toHaveProperty('Path');
    }
  });
});

describe('the intake', () => {
  const rights = rightsOf(template, 'EventIntake');

  it('may send hints and write its log, and nothing else', () => {
    expect(allowed(rights, '')).toEqual([
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'sqs:SendMessage',
    ]);
  });

  it('may not send interruption notices, which are acted on without a check', () => {
    expect(sendsTo('EventIntake')).toEqual(['Claim', 'Class', 'Disrupt', 'Plan']);
  });
});

describe('instances', () => {
  it('are launched by provisioning, lifecycle and disruption; node classes are validated by dry runs', () => {
    const launching = WORKERS.filter((name) => statementsFor(name, 'ec2:CreateFleet').length > 0);
    expect(launching).toEqual(['Provisioning', 'NodeLifecycle', 'Disruption', 'NodeClass']);
  });

  it("are terminated by lifecycle and the sweep only, and only those with the cluster's tag and a NodePool", () => {
    const ending = WORKERS.filter(
      (name) => statementsFor(name, 'ec2:TerminateInstances').length > 0,
    );
    expect(ending).toEqual(['NodeLifecycle', 'Sweep']);
    for (const name of ending) {
      expect(statementsFor(name, 'ec2:TerminateInstances')).toEqual([
        {
          actions: ['ec2:TerminateInstances'],
          resources: ['arn:<AWS::Partition>:ec2:<AWS::Region>:*:instance/*'],
          conditions: OURS,
        },
      ]);
    }
  });

  it('have their status checks read by the sweep only', () => {
    const checking = WORKERS.filter(
      (name) => statementsFor(name, 'ec2:DescribeInstanceStatus').length > 0,
    );
    expect(checking).toEqual(['Sweep']);
  });

  it('carry the tags of cluster and NodePool from creation', () => {
    const created = statementsFor('Provisioning', 'ec2:RunInstances').filter(({ resources }) =>
      resources.some((resource) => resource.endsWith(':instance/*')),
    );
    expect(created.map(({ conditions }) => conditions)).toEqual([TAGGED]);
  });

  it('are launched from our own launch templates', () => {
    const templates = statementsFor('Provisioning', 'ec2:RunInstances').filter(({ resources }) =>
      resources.some((resource) => resource.endsWith(':launch-template/*')),
    );
    expect(templates.map(({ conditions }) => conditions)).toEqual([OURS]);
  });

  it('are tagged at creation and never again', () => {
    for (const name of ['Provisioning', 'NodeLifecycle', 'Disruption']) {
      expect(statementsFor(name, 'ec2:CreateTags').map(({ conditions }) => conditions)).toEqual([
        {
          ...TAGGED,
          StringEquals: {
            ...TAGGED.StringEquals,
            'ec2:CreateAction': ['CreateFleet', 'RunInstances', 'CreateLaunchTemplate'],
          },
        },
      ]);
    }
  });

  it("are named by the sweep, which may write no other tag, and on the cluster's instances only", () => {
    expect(statementsFor('Sweep', 'ec2:CreateTags')).toEqual([
      {
        actions: ['ec2:CreateTags'],
        resources: ['arn:<AWS::Partition>:ec2:<AWS::Region>:*:instance/*'],
        conditions: {
          ...OURS,
          'ForAllValues:StringEquals': { 'aws:TagKeys': ['Name', 'karpenter.sh/nodeclaim'] },
        },
      },
    ]);
  });

  it('get the roles of the options, passed to EC2 only, and no other role', () => {
    expect(statementsFor('Provisioning', 'iam:PassRole')).toEqual([
      {
        actions: ['iam:PassRole'],
        resources: ['nodes', 'gpu-nodes'].map(
          (role) => `arn:<AWS::Partition>:iam::<AWS::AccountId>:role/${role}`,
        ),
        conditions: {
          StringEquals: { 'iam:PassedToService': ['ec2.amazonaws.com', 'ec2.amazonaws.com.cn'] },
        },
      },
    ]);
  });

  it("get the stack's own role if the options name none", () => {
    const own = rightsOf(aTemplate(), 'Provisioning').filter(({ actions }) =>
      actions.includes('iam:PassRole'),
    );
    expect(own.map(({ resources }) => resources)).toEqual([
      [expect.stringMatching(/^<NodeRole[0-9A-F]{8}>$/)],
    ]);
  });

  it('are described in one region', () => {
    for (const name of ['Provisioning', 'NodeLifecycle', 'Disruption', 'Sweep']) {
      for (const { conditions } of statementsFor(name, 'ec2:DescribeInstances')) {
        expect(conditions).toEqual({
          StringEquals: { 'aws:RequestedRegion': { Ref: 'AWS::Region' } },
        });
      }
    }
  });

  it('are neither launched nor terminated by the interruption function', () => {
    expect(allowed(rightsOf(template, 'Interruption'), 'ec2:')).toEqual([]);
  });
});

describe('records', () => {
  it.each(WORKERS)('are read and written by %s, and the table is never scanned', (name) => {
    expect(allowed(rightsOf(template, name), 'dynamodb:')).toEqual([
      'dynamodb:BatchGetItem',
      'dynamodb:DeleteItem',
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:Query',
    ]);
  });

  const DECIDES = { 's3:PutObject': '/decisions/*,/parts/*' };
  const BUYS = { 's3:GetObject': '/catalogue/*' };
  const VIEWS = { 's3:GetObject': '/catalogue/*,/views/*' };
  const STORES_VIEWS = { ...VIEWS, 's3:PutObject': '/decisions/*,/parts/*,/views/*' };

  it.each([
    ['Provisioning', { ...VIEWS, ...DECIDES }],
    ['NodeLifecycle', BUYS],
    ['Disruption', STORES_VIEWS],
    ['Interruption', {}],
    ['Sweep', STORES_VIEWS],
    ['NodeClass', {}],
  ])(
    'of decisions are added by the functions that decide, never read or removed; prices and the view are read by those that need them: %s',
    (name, expected) => {
      const rights = allowed(rightsOf(template, name), 's3:').map((action) => {
        const resources = statementsFor(name, action).flatMap((statement) => statement.resources);
        return [action, resources.map((resource) => resource.replace(/^[^/]*/, '')).join()];
      });
      expect(Object.fromEntries(rights)).toEqual(expected);
    },
  );

  it('of offerings and prices are written by the catalogue refresh only', () => {
    const rights = rightsOf(template, 'CatalogRefresh');
    expect(allowed(rights, '')).toEqual([
      'ec2:DescribeInstanceTypeOfferings',
      'ec2:DescribeInstanceTypes',
      'ec2:DescribeReservedInstances',
      'ec2:DescribeSpotPriceHistory',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'pricing:GetProducts',
      's3:GetObject',
      's3:PutObject',
    ]);
  });
});

describe('hints', () => {
  it.each([
    ['Provisioning', ['Claim', 'Plan', 'Sweep']],
    ['NodeLifecycle', ['Claim', 'Class', 'Disrupt', 'Plan', 'Sweep']],
    ['Disruption', ['Claim', 'Disrupt', 'Plan', 'Sweep']],
    ['Interruption', ['Claim', 'Interruption', 'Plan']],
    ['Sweep', ['Claim', 'Disrupt', 'Plan', 'PollQueue', 'Sweep']],
    ['NodeClass', ['Class', 'Plan']],
  ])('of %s go to %s', (name, queues) => {
    expect(sendsTo(name)).toEqual(queues);
  });

  it.each(WORKERS)('%s receives messages from one queue', (name) => {
    expect(statementsFor(name, 'sqs:ReceiveMessage').flatMap(({ resources }) => resources)).toEqual(
      [expect.stringMatching(/^<Queues\w+>$/)],
    );
  });
});

describe("a function's role", () => {
  it.each([...WORKERS, 'EventIntake'])('of %s has no action with a wildcard', (name) => {
    expect(allowed(rightsOf(template, name), '').filter((action) => action.includes('*'))).toEqual(
      [],
    );
  });

  it('is a member of the Kubernetes group of its function alone, without an EKS access policy', () => {
    const entries = [...propertiesIn(template, 'AWS::EKS::AccessEntry')].filter(
      // The set-up of a release starts as an administrator.
      ([id]) => !id.startsWith('ClusterSetup'),
    );
    expect(Object.fromEntries(entries.map(([id, entry]) => [id, entry.KubernetesGroups]))).toEqual({
      ProvisioningAccessEntry: ['mortise:provisioning'],
      NodeLifecycleAccessEntry: ['mortise:node-lifecycle'],
      DisruptionAccessEntry: ['mortise:disruption'],
      InterruptionAccessEntry: ['mortise:interruption'],
      SweepAccessEntry: ['mortise:sweep'],
      NodeClassAccessEntry: ['mortise:node-class'],
      PollAccessEntry: ['mortise:poll'],
      WebhookControlAccessEntry: ['mortise:webhook-control'],
    });
    // The groups that have a ClusterRole.
    expect(entries.flatMap(([, entry]) => entry.KubernetesGroups).toSorted()).toEqual(
      [...FUNCTION_GROUPS, SETUP_GROUPS.webhookControl].toSorted(),
    );
    for (const [, entry] of entries) {
      expect(entry).toMatchObject({ ClusterName: 'demo', Type: 'STANDARD' });
      expect(entry).not.toHaveProperty('AccessPolicies');
    }
  });
});
