import type { Duration } from 'aws-cdk-lib';
import { RemovalPolicy } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, RecursiveLoop, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogLevel, NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { BUNDLING } from '../bundling.ts';
import type { LogRetentionDays } from '../options.ts';

export interface HandlerFunctionProps {
  /** The folder below `functions/`. */
  readonly entry: string;
  readonly timeout: Duration;
  readonly memoryMib: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly logRetentionDays: LogRetentionDays;
  readonly reservedConcurrency?: number;
  /** Its messages lead to further messages: the state ends the chain, not Lambda after 16 of them. */
  readonly wakesItself?: boolean;
}

/** A function in one file, with a role of its own that may write to its own log and no more. */
export class HandlerFunction extends NodejsFunction {
  constructor(scope: Construct, id: string, props: HandlerFunctionProps) {
    const { entry, timeout, memoryMib, environment, logRetentionDays } = props;
    const logGroup = new LogGroup(scope, `${id}Log`, {
      retention: logRetentionDays,
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
  }
}
