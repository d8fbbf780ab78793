import { App, Stack, Token } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Cluster } from 'aws-cdk-lib/aws-eks';
import { KubernetesVersion, Cluster as NewCluster } from 'aws-cdk-lib/aws-eks-v2';
import { Role, ServicePrincipal, User } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Mortise } from '../../infra/mortise.ts';
import type { MortiseProps } from '../../infra/mortise-props.ts';
import { MortiseStack } from '../../infra/mortise-stack.ts';
import { readOptions } from '../../infra/options/read-options.ts';
import { outputDescription } from '../../infra/stack-name.ts';
import { NO_BUNDLES, propertiesIn } from './fixture.ts';

const aStack = (): Stack => new Stack(new App({ context: NO_BUNDLES }), 'Platform');

const withProps = (props: MortiseProps, stack = aStack()): Template => {
  new Mortise(stack, 'Autoscaler', props);
  return Template.fromStack(stack);
};

const typesIn = (template: Template): readonly string[] =>
  Object.values(resourcesSchema.parse(template.toJSON()).Resources)
    .map(({ Type }) => Type)
    .toSorted();

const resourcesSchema = z.object({
  Resources: z.record(z.string(), z.object({ Type: z.string(), DependsOn: z.unknown().optional() })),
});

describe('The construct in an app of its own', () => {
  test('The construct creates the same resources as the stack.', () => {
    const options = readOptions((name) => ({ cluster: 'shop' })[name], {});
    const app = new App({ context: NO_BUNDLES });
    const stack = Template.fromStack(new MortiseStack(app, 'Mortise', options));
    expect(typesIn(withProps({ cluster: 'shop' }))).toEqual(typesIn(stack));
  });

  test('Two clusters in one stack have tables, roles and outputs of their own.', () => {
    const stack = aStack();
    new Mortise(stack, 'Shop', { cluster: 'shop' });
    new Mortise(stack, 'Games', { cluster: 'games' });
    const template = Template.fromStack(stack);
    template.resourceCountIs('AWS::DynamoDB::GlobalTable', 2);
    for (const cluster of ['shop', 'games']) {
      const Description = outputDescription('StateTable', cluster);
      expect(Object.values(template.findOutputs('*', { Description }))).toHaveLength(1);
    }
  });

  test('Roles, keys and topics that the app creates are used by reference.', () => {
    const stack = aStack();
    const assumedBy = new ServicePrincipal('ec2.amazonaws.com');
    const topic = new Topic(stack, 'Pager');
    const template = withProps(
      { cluster: 'shop', nodeRoles: [new Role(stack, 'Nodes', { assumedBy })], alarmTopic: topic },
      stack,
    );
    const actions = [...propertiesIn(template, 'AWS::CloudWatch::Alarm').values()].map(
      ({ AlarmActions }) => AlarmActions,
    );
    expect(actions).toContainEqual([stack.resolve(topic.topicArn)]);
    expect(JSON.stringify(template.toJSON())).toContain('"iam:PassRole"');
  });

  test('Settings become variables of the functions.', () => {
    const template = withProps({
      cluster: 'shop',
      settings: { maxNodes: 500, featureGates: 'NodeRepair=true', anticipate: false },
    });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: Match.objectLike({ MAX_NODES: '500', FEATURE_GATES: 'NodeRepair=true' }),
      },
    });
  });

  test('The alarms are accessible, for actions of the app.', () => {
    const mortise = new Mortise(aStack(), 'Autoscaler', { cluster: 'shop' });
    expect(mortise.alarms.length).toBeGreaterThan(10);
  });

  test('A metric has the dimensions of the cluster.', () => {
    const mortise = new Mortise(aStack(), 'Autoscaler', { cluster: 'shop' });
    expect(mortise.metricNodes({ statistic: 'Average' })).toMatchObject({
      namespace: 'Mortise',
      metricName: 'karpenter_cluster_state_node_count',
      dimensions: { cluster: 'shop', service: 'mortise' },
      statistic: 'Average',
    });
  });

  test('A principal that may read decisions may read the bucket and the table, and use the key.', () => {
    const env = { account: '123456789012', region: 'eu-west-1' };
    const stack = new Stack(new App({ context: NO_BUNDLES }), 'Platform', { env });
    const encryptionKey = new Key(stack, 'Key');
    const mortise = new Mortise(stack, 'Autoscaler', {
      cluster: 'shop',
      encryptionKey,
    });
    const user = new User(stack, 'Auditor');
    mortise.grantReadDecisions(user);
    const policies = Template.fromStack(stack).findResources('AWS::IAM::Policy', {
      Properties: { Users: [stack.resolve(user.userName)] },
    });
    const text = JSON.stringify(policies);
    for (const action of ['s3:GetObject*', 'dynamodb:Query', 'kms:Decrypt']) {
      expect(text).toContain(`"${action}"`);
    }
    expect(text).not.toContain('s3:PutObject');
  });
});

describe('The region of the construct', () => {
  const spain = (props: Partial<MortiseProps>): Template => {
    const env = { account: '123456789012', region: 'eu-south-2' };
    const stack = new Stack(new App({ context: NO_BUNDLES }), 'Spain', { env });
    return withProps({ cluster: 'shop', ...props }, stack);
  };

  test('Without function URLs, it has no intake.', () => {
    spain({}).resourceCountIs('AWS::SecretsManager::Secret', 0);
  });

  test('An endpoint that only the deployment knows is an address for the intake.', () => {
    const hookVpcEndpointId = Token.asString({ Ref: 'Endpoint' });
    spain({ hookVpcEndpointId }).resourceCountIs('AWS::ApiGateway::RestApi', 1);
  });
});

describe('The cluster of the construct', () => {
  test('An imported cluster is used by its name.', () => {
    const stack = aStack();
    const cluster = Cluster.fromClusterAttributes(stack, 'Cluster', { clusterName: 'shop' });
    withProps({ cluster }, stack).hasResourceProperties('AWS::EKS::AccessEntry', {
      ClusterName: 'shop',
    });
  });

  test('A new cluster with a name is created first.', () => {
    const stack = aStack();
    const cluster = new NewCluster(stack, 'Cluster', {
      clusterName: 'shop',
      version: KubernetesVersion.of('1.35'),
    });
    const { Resources } = resourcesSchema.parse(withProps({ cluster }, stack).toJSON());
    const created = Object.entries(Resources).find(([, { Type }]) => Type === 'AWS::EKS::Cluster');
    const setup = Object.entries(Resources).find(([id]) => id.startsWith('AutoscalerClusterSetup'));
    expect(setup?.[1].DependsOn).toContain(created?.[0]);
  });

  test('A cluster whose name only the deployment knows is refused, with the remedy.', () => {
    const stack = aStack();
    const cluster = Cluster.fromClusterAttributes(stack, 'Cluster', {
      clusterName: new Topic(stack, 'Other').topicName,
    });
    expect(() => withProps({ cluster }, stack)).toThrow(/give the cluster a clusterName/);
  });

  test.each([
    { cluster: 'no good', problem: /option cluster is "no good"/ },
    { cluster: 'shop', settings: { maxNodes: 0 }, problem: /option maxNodes is 0/ },
    { cluster: 'shop', rolePath: 'mortise', problem: /option rolePath is "mortise"/ },
    { cluster: 'shop', snapshotRetentionDays: 0, problem: /snapshotRetentionDays is 0/ },
  ])('A wrong property is refused: $problem', ({ problem, ...props }) => {
    expect(() => withProps(props)).toThrow(problem);
  });
});
