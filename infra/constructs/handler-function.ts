import type { Duration } from 'aws-cdk-lib';
import { Aspects, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Architecture, CfnFunction, Function as LambdaFunction, RecursiveLoop, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { functionCode } from '../function-code.ts';
import type { FunctionNetwork } from '../options/options.ts';
import type { LogRetentionDays } from '../options/stack-options.ts';
import { allow } from '../rights/allow.ts';

export interface HandlerFunctionProps {
  /** The folder below `functions/`. */
  readonly entry: string;
  readonly timeout: Duration;
  readonly memoryMib: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly logRetentionDays: LogRetentionDays;
  /** Entries of the functions that write debug lines; `all` for every function. */
  readonly debugFunctions: readonly string[];
  /** Undefined outside of a VPC. */
  readonly network?: FunctionNetwork;
  /** Undefined for a key that AWS owns. */
  readonly key?: IKey;
  readonly reservedConcurrency?: number;
  /**
   * The function's messages lead to further messages. The recorded state ends the chain; Lambda's
   * loop detection must not stop it after 16 hops.
   */
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

/** A function bundled into one file, with its own role that may write to its own log only. */
export class HandlerFunction extends LambdaFunction {
  /** The actions that `allow` grants to the function's code. */
  private readonly ownActions = new Set<string>();

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
      code: functionCode(scope, entry),
      handler: 'index.handler',
      role,
      logGroup,
      timeout,
      memorySize: memoryMib,
      ...(props.key && { environmentEncryption: props.key }),
      environment: {
        NODE_OPTIONS: '--enable-source-maps',
        POWERTOOLS_SERVICE_NAME: entry,
        POWERTOOLS_METRICS_NAMESPACE: 'Mortise',
        ...(isDebugged(props) && { POWERTOOLS_LOG_LEVEL: 'DEBUG' }),
        ...environment,
      },
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      recursiveLoop: props.wakesItself ? RecursiveLoop.ALLOW : RecursiveLoop.TERMINATE,
      ...(props.reservedConcurrency !== undefined && {
        reservedConcurrentExecutions: props.reservedConcurrency,
      }),
    });
    if (props.network) this.enter(props.network);
  }

  override addToRolePolicy(statement: PolicyStatement): void {
    for (const action of statement.actions) this.ownActions.add(action);
    super.addToRolePolicy(statement);
  }

  /**
   * Puts the function into the VPC. Lambda creates the network interfaces with the function's role;
   * the function's own code is denied those calls, except for those that it has a right to.
   *
   * @see docs.aws.amazon.com/lambda, "Configuring VPC access": best practice for the role
   */
  private enter({ subnetIds, securityGroupIds }: FunctionNetwork): void {
    if (this.node.defaultChild instanceof CfnFunction) {
      this.node.defaultChild.vpcConfig = {
        subnetIds: [...subnetIds],
        securityGroupIds: [...securityGroupIds],
      };
    }
    // As one of the last steps of synthesis: all rights of the function are known then.
    Aspects.of(this).add({ visit: (node) => node === this && this.letLambdaManageInterfaces() });
  }

  private letLambdaManageInterfaces(): void {
    const unused = INTERFACE_ACTIONS.filter((action) => !this.ownActions.has(action));
    allow([this], {
      statements: [
        new PolicyStatement({ actions: INTERFACE_ACTIONS, resources: ['*'] }),
        new PolicyStatement({
          effect: Effect.DENY,
          actions: unused,
          resources: ['*'],
          conditions: { ArnLike: { 'lambda:SourceFunctionArn': functionsOf(this) } },
        }),
      ],
      wildcardReason: 'Interfaces have no names before Lambda makes them; our code may make none.',
    });
  }
}

const isDebugged = ({ debugFunctions, entry }: HandlerFunctionProps): boolean =>
  debugFunctions.includes('all') || debugFunctions.includes(entry);

/**
 * Naming its own ARN would be a cycle (the function waits for its policy). No other function has
 * this role.
 */
const functionsOf = (fn: HandlerFunction): string =>
  Stack.of(fn).formatArn({ service: 'lambda', resource: 'function:*' });
