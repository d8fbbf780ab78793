import { RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { AwsCustomResource, AwsCustomResourcePolicy, PhysicalResourceId } from 'aws-cdk-lib/custom-resources';
import { Construct } from 'constructs';
import type { ApiServerFacts } from '../options/options.ts';
import type { LogRetentionDays } from '../options/stack-options.ts';

export interface ClusterFactsProps {
  readonly cluster: string;
  readonly stack: Stack;
  readonly logRetentionDays: LogRetentionDays;
  /** Undefined for a key that AWS owns. */
  readonly key?: IKey;
}

/** Reads the API server's endpoint and certificate authority from EKS once per deployment. */
export class ClusterFacts extends Construct implements ApiServerFacts {
  readonly endpoint: string;
  readonly certificateAuthority: string;

  constructor(scope: Construct, id: string, props: ClusterFactsProps) {
    super(scope, id);
    const { cluster, stack } = props;
    const logGroup = new LogGroup(this, 'Log', {
      retention: props.logRetentionDays,
      ...(props.key && { encryptionKey: props.key }),
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // The CDK's default role has a managed policy that may write to every log.
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    logGroup.grantWrite(role);
    const describe = {
      service: 'EKS',
      action: 'describeCluster',
      parameters: { name: cluster },
      outputPaths: [ENDPOINT, CERTIFICATE_AUTHORITY],
      physicalResourceId: PhysicalResourceId.of(cluster),
    };
    const lookup = new AwsCustomResource(this, 'Lookup', {
      onCreate: describe,
      onUpdate: describe,
      installLatestAwsSdk: false,
      role,
      logGroup,
      policy: AwsCustomResourcePolicy.fromStatements([
        new PolicyStatement({
          actions: ['eks:DescribeCluster'],
          resources: [stack.formatArn({ service: 'eks', resource: 'cluster', resourceName: cluster })],
        }),
      ]),
    });
    this.endpoint = lookup.getResponseField(ENDPOINT);
    this.certificateAuthority = lookup.getResponseField(CERTIFICATE_AUTHORITY);
  }
}

const ENDPOINT = 'cluster.endpoint';
const CERTIFICATE_AUTHORITY = 'cluster.certificateAuthority.data';
