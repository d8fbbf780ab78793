import { describe, expect, it } from 'vitest';
import { allowed, aTemplate, rightsOf, WORKERS } from './fixture.ts';
import { OURS, statementsFor, TAGGED, template } from './rights-fixture.ts';

describe('instances', () => {
  it('are launched by provisioning, lifecycle and disruption; node classes are validated by dry runs', () => {
    const launching = WORKERS.filter((name) => statementsFor(name, 'ec2:CreateFleet').length > 0);
    expect(launching).toEqual(['Provisioning', 'NodeLifecycle', 'Disruption', 'NodeClass']);
  });

  it("are terminated by lifecycle and the sweep only, and only those with the cluster's tag and a NodePool", () => {
    const ending = WORKERS.filter((name) => statementsFor(name, 'ec2:TerminateInstances').length > 0);
    expect(ending).toEqual(['NodeLifecycle', 'Sweep']);
    for (const name of ending) {
      expect(statementsFor(name, 'ec2:TerminateInstances')).toEqual([
        {
          actions: ['ec2:TerminateInstances'],
          resources: ['arn:<AWS::Partition>:ec2:<AWS::Region>:<AWS::AccountId>:instance/*'],
          conditions: OURS,
        },
      ]);
    }
  });

  it('are rebooted by lifecycle only, under the same condition', () => {
    const rebooting = WORKERS.filter((name) => statementsFor(name, 'ec2:RebootInstances').length > 0);
    expect(rebooting).toEqual(['NodeLifecycle']);
    expect(statementsFor('NodeLifecycle', 'ec2:RebootInstances').map(({ conditions }) => conditions)).toEqual([OURS]);
  });

  it('have their status checks read by the sweep only', () => {
    const checking = WORKERS.filter((name) => statementsFor(name, 'ec2:DescribeInstanceStatus').length > 0);
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
        resources: ['arn:<AWS::Partition>:ec2:<AWS::Region>:<AWS::AccountId>:instance/*'],
        conditions: {
          ...OURS,
          'ForAllValues:StringEquals': { 'aws:TagKeys': ['eks:eks-cluster-name', 'Name', 'karpenter.sh/nodeclaim'] },
          StringEqualsIfExists: { 'aws:RequestTag/eks:eks-cluster-name': 'demo' },
        },
      },
    ]);
  });

  it('get the roles of the options, passed to EC2 only, and no other role', () => {
    expect(statementsFor('Provisioning', 'iam:PassRole')).toEqual([
      {
        actions: ['iam:PassRole'],
        resources: ['nodes', 'gpu-nodes'].map((role) => `arn:<AWS::Partition>:iam::<AWS::AccountId>:role/${role}`),
        conditions: {
          StringEquals: { 'iam:PassedToService': ['ec2.amazonaws.com', 'ec2.amazonaws.com.cn'] },
        },
      },
    ]);
  });

  it("get the stack's own role if the options name none, or those that earlier stacks of the cluster have left", () => {
    const own = rightsOf(aTemplate({ rolePath: '/mortise/' }), 'Provisioning').filter(({ actions }) =>
      actions.includes('iam:PassRole'),
    );
    expect(own.map(({ resources }) => resources)).toEqual([
      [
        expect.stringMatching(/^<NodeRole/),
        'arn:<AWS::Partition>:iam::<AWS::AccountId>:role/mortise/MortiseNode-demo-????????',
      ],
    ]);
  });

  it.each([
    ['platform/nodes', 'arn:<AWS::Partition>:iam::<AWS::AccountId>:role/platform/nodes'],
    ['arn:aws:iam::123456789012:role/platform/nodes', 'arn:aws:iam::123456789012:role/platform/nodes'],
  ])('get a role with a path: %s', (nodeRoles, arn) => {
    const rights = rightsOf(aTemplate({ nodeRoles }), 'NodeClass');
    const passed = rights.find(({ actions }) => actions.includes('iam:PassRole'));
    const entry = rights.find(({ actions }) => actions.includes('eks:CreateAccessEntry'));

    expect(passed?.resources).toEqual([arn]);
    expect(JSON.stringify(entry?.conditions.ArnEquals)).toContain(':role/platform/nodes');
  });

  it('are not spot instances in dry runs of EC2NodeClasses', () => {
    const launched = (name: string) => statementsFor(name, 'ec2:RunInstances').flatMap(({ resources }) => resources);
    const isSpot = (resource: string) => resource.endsWith(':spot-instances-request/*');

    expect(launched('Provisioning').some(isSpot)).toBe(true);
    expect(launched('NodeClass').some(isSpot)).toBe(false);
  });

  it('belong to this account; only what is given to them may be shared by another one', () => {
    const foreign = WORKERS.flatMap((name) => rightsOf(template, name))
      .flatMap(({ resources }) => resources)
      .flatMap((resource) => /:ec2:<AWS::Region>:\*:(.*)\/\*$/.exec(resource)?.[1] ?? []);

    expect([...new Set(foreign)].toSorted()).toEqual([
      'capacity-reservation',
      'placement-group',
      'security-group',
      'subnet',
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
  const conditionsOf = (action: string) => statementsFor('NodeClass', action).map(({ conditions }) => conditions);

  it.each([
    'iam:CreateInstanceProfile',
    'iam:TagInstanceProfile',
    'iam:AddRoleToInstanceProfile',
    'iam:RemoveRoleFromInstanceProfile',
    'iam:DeleteInstanceProfile',
  ])('are those below the path of the cluster: %s', (action) => {
    expect(statementsFor('NodeClass', action).flatMap(({ resources }) => resources)).toEqual([
      'arn:<AWS::Partition>:iam::<AWS::AccountId>:instance-profile/karpenter/<AWS::Region>/demo/*',
    ]);
  });

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

  it.each(['iam:AddRoleToInstanceProfile', 'iam:RemoveRoleFromInstanceProfile', 'iam:DeleteInstanceProfile'])(
    "are changed and deleted only if they carry the cluster's tags: %s",
    (action) => {
      expect(conditionsOf(action)).toEqual([OWN]);
    },
  );
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
    const conditionsOf = (action: string) => statementsFor('Sweep', action).map(({ conditions }) => conditions);

    expect(conditionsOf('ec2:DeleteLaunchTemplate')).toEqual([OURS]);
    expect(conditionsOf('iam:DeleteInstanceProfile')).toEqual(
      statementsFor('NodeClass', 'iam:DeleteInstanceProfile').map(({ conditions }) => conditions),
    );
  });
});
