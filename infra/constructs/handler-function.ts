import type { Duration } from 'aws-cdk-lib';
import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Architecture, CfnFunction, RecursiveLoop, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogLevel, NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { BUNDLING } from '../bundling.ts';
import type { FunctionNetwork, LogRetentionDays } from '../options/options.ts';
import { allow } from '../rights/allow.ts';

export interface HandlerFunctionProps {
  /** The folder below `functions/`. */
  readonly entry: string;
  readonly timeout: Duration;
  readonly memoryMib: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly logRetentionDays: LogRetentionDays;
  /** Absent: outside of any VPC. */
  readonly network?: FunctionNetwork;
  /** Absent: a key that AWS owns. */
  readonly key?: IKey;
  readonly reservedConcurrency?: number;
  /** Its messages lead to further messages: the state ends the chain, not Lambda after 16 of them. */
  readonly wakesItself?: boolean;
}

const INTERFACE_ACTIONS = [
  'ec2:CreateNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeSubnets',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
];

/** A function in one file, with a role of its own that may write to its own log and no more. */
export class HandlerFunction extends NodejsFunction {
  constructor(scope: Construct, id: string, props: HandlerFunctionProps) {
    const { entry, timeout, memoryMib, environment, logRetentionDays } = props;
    const logGroup = new LogGroup(scope, `${id}Log`, {
      retention: logRetentionDays,
      ...(props.key && { encryptionKey: props.key }),
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(scope, `${id}Role`, {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    logGroup.grantWrite(role);

    super(scope, id, {
      entry: `functions/${entry}/handler.ts`,
      role,
      logGroup,
      timeout,
      memorySize: memoryMib,
      environment: {
        NODE_OPTIONS: '--enable-source-maps',
        POWERTOOLS_SERVICE_NAME: entry,
        POWERTOOLS_METRICS_NAMESPACE: 'Mortise',
        ...environment,
      },
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      recursiveLoop: props.wakesItself ? RecursiveLoop.ALLOW : RecursiveLoop.TERMINATE,
      ...(props.reservedConcurrency !== undefined && {
        reservedConcurrentExecutions: props.reservedConcurrency,
      }),
      // Sets a variable for SDK 2, which nobody here uses.
      awsSdkConnectionReuse: false,
      bundling: {
        ...BUNDLING,
        mainFields: [...BUNDLING.mainFields],
        format: OutputFormat.ESM,
        logLevel: LogLevel.WARNING,
        sourceMap: true,
        sourcesContent: false,
        // The SDK goes along: the runtime's is of some version.
        externalModules: [],
      },
    });
    if (props.network) this.enter(props.network);
  }

  /**
   * Puts the function into the VPC. Lambda makes its network interfaces in the function's name; the
   * function itself is denied what that takes.
   *
   * @see docs.aws.amazon.com/lambda, "Configuring VPC access": the best practice for its role
   */
  private enter({ subnetIds, securityGroupIds }: FunctionNetwork): void {
    if (this.node.defaultChild instanceof CfnFunction) {
      this.node.defaultChild.vpcConfig = {
        subnetIds: [...subnetIds],
        securityGroupIds: [...securityGroupIds],
      };
    }
    const manage = { actions: INTERFACE_ACTIONS, resources: ['*'] };
    allow([this], {
      statements: [
        new PolicyStatement(manage),
        new PolicyStatement({
          ...manage,
          effect: Effect.DENY,
          conditions: { ArnLike: { 'lambda:SourceFunctionArn': functionsOf(this) } },
        }),
      ],
      wildcardReason: 'Interfaces have no names before Lambda makes them; our code may make none.',
    });
  }
}

/** Its own ARN would be a circle: the function waits for its policy. No other function has its role. */
const functionsOf = (fn: HandlerFunction): string =>
  Stack.of(fn).formatArn({ service: 'lambda', resource: 'function:*' });
