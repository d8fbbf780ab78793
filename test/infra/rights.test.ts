import { describe, expect, it } from 'vitest';
import { allowed, aTemplate, rightsOf } from './fixture.ts';

const template = aTemplate({ nodeRoles: 'nodes,gpu-nodes' });
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

/** Queues that the function may send to. */
const sendsTo = (name: string): readonly string[] =>
  statementsFor(name, 'sqs:SendMessage')
    .flatMap(({ resources }) => resources)
    .map((resource) => resource.replace(/^<(?:Queues)?(.*).{8}>$/, '$1'))
    .toSorted();

describe('the intake', () => {
  const rights = rightsOf(template, 'EventIntake');

  it('may send hints and write its log, and nothing else', () => {
    expect(allowed(rights, '')).toEqual([
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'sqs:SendMessage',
    ]);
  });

  it('may not tell of interruptions: they would be believed', () => {
    expect(sendsTo('EventIntake')).toEqual(['Claim', 'Class', 'Disrupt', 'Plan']);
  });
});

describe('instances', () => {
  it('are launched by those who plan, take up or replace, and tried by who judges classes', () => {
    const launching = WORKERS.filter((name) => statementsFor(name, 'ec2:CreateFleet').length > 0);
    expect(launching).toEqual(['Provisioning', 'NodeLifecycle', 'Disruption', 'NodeClass']);
  });

  it('are ended by lifecycle and sweep alone, and only those of the cluster that have a NodePool', () => {
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

  it('are checked for what EC2 finds wrong with them by the sweep alone', () => {
    const checking = WORKERS.filter(
      (name) => statementsFor(name, 'ec2:DescribeInstanceStatus').length > 0,
    );
    expect(checking).toEqual(['Sweep']);
  });

  it('carry the tags of cluster and NodePool from the first moment on', () => {
    const created = statementsFor('Provisioning', 'ec2:RunInstances').filter(({ resources }) =>
      resources.some((resource) => resource.endsWith(':instance/*')),
    );
    expect(created.map(({ conditions }) => conditions)).toEqual([TAGGED]);
  });

  it('come from launch templates of ours', () => {
    const templates = statementsFor('Provisioning', 'ec2:RunInstances').filter(({ resources }) =>
      resources.some((resource) => resource.endsWith(':launch-template/*')),
    );
    expect(templates.map(({ conditions }) => conditions)).toEqual([OURS]);
  });

  it('are tagged when they are created and never again', () => {
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

  it('23.10-127: are named by the sweep, which writes no other tag, and on ours alone', () => {
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

  it('get the roles of the options, to EC2 alone, and no other', () => {
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

  it('get the role that the stack made, where the options name none', () => {
    const own = rightsOf(aTemplate(), 'Provisioning').filter(({ actions }) =>
      actions.includes('iam:PassRole'),
    );
    expect(own.map(({ resources }) => resources)).toEqual([
      [expect.stringMatching(/^<NodeRole[0-9A-F]{8}>$/)],
    ]);
  });

  it('are seen in one region', () => {
    for (const name of ['Provisioning', 'NodeLifecycle', 'Disruption', 'Sweep']) {
      for (const { conditions } of statementsFor(name, 'ec2:DescribeInstances')) {
        expect(conditions).toEqual({
          StringEquals: { 'aws:RequestedRegion': { Ref: 'AWS::Region' } },
        });
      }
    }
  });

  it('are no business of who answers interruptions', () => {
    expect(allowed(rightsOf(template, 'Interruption'), 'ec2:')).toEqual([]);
  });
});

describe('records', () => {
  it.each(WORKERS)('are read and written by %s, and the table is not scanned', (name) => {
    expect(allowed(rightsOf(template, name), 'dynamodb:')).toEqual([
      ...(['Disruption', 'NodeClass', 'NodeLifecycle', 'Sweep'].includes(name)
        ? ['dynamodb:DeleteItem']
        : []),
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:Query',
    ]);
  });

  const DECIDES = { 's3:PutObject': '/decisions/*' };
  const BUYS = { 's3:GetObject': '/catalogue/*' };

  it.each([
    ['Provisioning', { ...BUYS, ...DECIDES }],
    ['NodeLifecycle', BUYS],
    ['Disruption', { ...BUYS, ...DECIDES }],
    ['Interruption', {}],
    ['Sweep', { ...BUYS, ...DECIDES }],
    ['NodeClass', {}],
  ])(
    'of decisions are added by who decides, never read or removed; prices are read by who launches: %s',
    (name, expected) => {
      const rights = allowed(rightsOf(template, name), 's3:').map((action) => {
        const resources = statementsFor(name, action).flatMap((statement) => statement.resources);
        return [action, resources.map((resource) => resource.replace(/^[^/]*/, '')).join()];
      });
      expect(Object.fromEntries(rights)).toEqual(expected);
    },
  );

  it('of what EC2 sells are written by who asks, and by nobody else', () => {
    const rights = rightsOf(template, 'CatalogRefresh');
    expect(allowed(rights, '')).toEqual([
      'ec2:DescribeInstanceTypeOfferings',
      'ec2:DescribeInstanceTypes',
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
    ['NodeLifecycle', ['Claim', 'Disrupt', 'Plan', 'Sweep']],
    ['Disruption', ['Claim', 'Disrupt', 'Plan', 'Sweep']],
    ['Interruption', ['Claim', 'Interruption', 'Plan']],
    ['Sweep', ['Claim', 'Disrupt', 'Plan', 'PollQueue', 'Sweep']],
    ['NodeClass', ['Class', 'Plan']],
  ])('of %s go to %s', (name, queues) => {
    expect(sendsTo(name)).toEqual(queues);
  });

  it.each(WORKERS)('%s takes messages off one queue', (name) => {
    expect(statementsFor(name, 'sqs:ReceiveMessage').flatMap(({ resources }) => resources)).toEqual(
      [expect.stringMatching(/^<Queues\w+>$/)],
    );
  });
});

describe('a role', () => {
  it.each([...WORKERS, 'EventIntake'])('of %s has no action with a wildcard', (name) => {
    expect(allowed(rightsOf(template, name), '').filter((action) => action.includes('*'))).toEqual(
      [],
    );
  });

  it('is let into the cluster as a member of one group, and by no access policy', () => {
    const entries = Object.entries(template.findResources('AWS::EKS::AccessEntry'))
      // Who sets up the cluster has to hold all that it gives; the poll may only look.
      .filter(([id]) => !id.startsWith('ClusterSetup') && !id.startsWith('Poll'))
      .map(([, entry]) => entry);
    expect(entries).toHaveLength(WORKERS.length);
    for (const { Properties } of entries) {
      expect(Properties).toMatchObject({
        ClusterName: 'demo',
        Type: 'STANDARD',
        KubernetesGroups: ['mortise:controller'],
      });
      expect(Properties).not.toHaveProperty('AccessPolicies');
    }
  });
});
