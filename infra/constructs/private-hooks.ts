import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { EndpointType, LambdaIntegration, MethodLoggingLevel, RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { InterfaceVpcEndpoint } from 'aws-cdk-lib/aws-ec2';
import { AnyPrincipal, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';

export interface PrivateHooksProps {
  readonly fn: IFunction;
  /** An interface endpoint of `execute-api` in the cluster's VPC. */
  readonly vpcEndpointId: string;
}

const STAGE = 'hooks';
/** The API server waits at most one second. */
const API_TIMEOUT = Duration.seconds(3);

/**
 * A hook address that only the cluster's VPC reaches: a private REST API, because function URLs are
 * public. Its host name is in public DNS with private addresses and a certificate of Amazon's.
 */
export class PrivateHooks extends Construct {
  /** Ends in `/`. */
  readonly address: string;
  /** Calls that the API or the function rejected. */
  readonly rejections: Metric;

  constructor(scope: Construct, id: string, { fn, vpcEndpointId }: PrivateHooksProps) {
    super(scope, id);
    const endpoint = InterfaceVpcEndpoint.fromInterfaceVpcEndpointAttributes(this, 'Endpoint', {
      vpcEndpointId,
      port: 443,
    });
    const api = new RestApi(this, 'Api', {
      description: 'What the API server of the cluster tells Mortise',
      endpointConfiguration: { types: [EndpointType.PRIVATE], vpcEndpoints: [endpoint] },
      policy: onlyThrough(vpcEndpointId),
      cloudWatchRole: false,
      // An access log would contain paths, and the path contains the token.
      deployOptions: { stageName: STAGE, loggingLevel: MethodLoggingLevel.OFF },
    });
    const call = new LambdaIntegration(fn, { allowTestInvoke: false, timeout: API_TIMEOUT });
    api.root.addResource('h').addResource('{cluster}').addResource('{token}').addMethod('POST', call);
    accept(api);

    this.rejections = api.deploymentStage.metricClientError();
    const { region, urlSuffix } = Stack.of(this);
    this.address = `https://${api.restApiId}-${vpcEndpointId}.execute-api.${region}.${urlSuffix}/${STAGE}/`;
  }
}

/** A resource policy denies all that it does not allow. */
const onlyThrough = (vpcEndpointId: string): PolicyDocument =>
  new PolicyDocument({
    statements: [
      new PolicyStatement({
        principals: [new AnyPrincipal()],
        actions: ['execute-api:Invoke'],
        resources: [`execute-api:/${STAGE}/POST/h/*`],
        conditions: { StringEquals: { 'aws:SourceVpce': vpcEndpointId } },
      }),
    ],
  });

function accept(api: RestApi): void {
  const reasons = {
    'AwsSolutions-APIG1': 'A request log would contain the paths, and the path contains the token.',
    'AwsSolutions-APIG2': 'The function validates the few fields that it reads, after it has checked the token.',
    'AwsSolutions-APIG3': 'A private API has no public address; its policy admits one VPC endpoint.',
    'AwsSolutions-APIG4': 'The API server cannot authenticate itself: the function checks the token in the path.',
    'AwsSolutions-APIG6': 'A request log would contain the paths, and the path contains the token.',
    'AwsSolutions-COG4': 'The API server cannot authenticate itself: the function checks the token in the path.',
  };
  for (const [id, reason] of Object.entries(reasons)) Validations.of(api).acknowledge({ id, reason });
}
