import { type Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  AwsCustomResource,
  AwsCustomResourcePolicy,
  PhysicalResourceId,
} from 'aws-cdk-lib/custom-resources';
import { Construct } from 'constructs';
import type { ApiServerFacts } from '../options/options.ts';

export interface ClusterFactsProps {
  readonly cluster: string;
  readonly stack: Stack;
}

/** Reads the API server's endpoint and certificate authority from EKS once per deployment. */
export class ClusterFacts extends Construct implements ApiServerFacts {
  readonly endpoint: string;
  readonly certificateAuthority: string;

  constructor(scope: Construct, id: string, { cluster, stack }: ClusterFactsProps) {
    super(scope, id);
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
      policy: AwsCustomResourcePolicy.fromStatements([
        new PolicyStatement({
          actions: ['eks:DescribeCluster'],
          resources: [
            stack.formatArn({ service: 'eks', resource: 'cluster', resourceName: cluster }),
          ],
        }),
      ]),
    });
    Validations.of(stack.node.findChild(LOOKUP_FUNCTION)).acknowledge({
      id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${LOG_POLICY}]`,
      reason: "The CDK's own look-up function runs when deploying; ours have no managed policy.",
    });
    this.endpoint = lookup.getResponseField(ENDPOINT);
    this.certificateAuthority = lookup.getResponseField(CERTIFICATE_AUTHORITY);
  }
}

const ENDPOINT = 'cluster.endpoint';
const CERTIFICATE_AUTHORITY = 'cluster.certificateAuthority.data';
const LOG_POLICY = 'service-role/AWSLambdaBasicExecutionRole';
/** The CDK uses one function for all look-ups of a stack. */
const LOOKUP_FUNCTION = `AWS${AwsCustomResource.PROVIDER_FUNCTION_UUID.replaceAll('-', '')}`;
