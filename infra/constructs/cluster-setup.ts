import { CustomResource, Duration, Stack } from 'aws-cdk-lib';
import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct, type IDependable } from 'constructs';
import type { EventSourceOption } from '../options/options.ts';
import type { EventIntake } from './event-intake.ts';
import { HandlerFunction, type HandlerFunctionProps } from './handler-function.ts';
import { ScheduledCall } from './scheduled-call.ts';

export interface ClusterSetupProps extends HandlerFunctionProps {
  readonly cluster: string;
  readonly intake: EventIntake;
  readonly eventSource: EventSourceOption;
  /** Whether EKS can be asked how the cluster is connected. */
  readonly knowsNetwork: boolean;
  /** Whether the hooks' address is one of a VPC. */
  readonly isHookPrivate: boolean;
  readonly hook?: { readonly address: string; readonly certificateAuthority?: string };
  /** What must be there before the set-up, and still be there while it is taken away. */
  readonly after: readonly IDependable[];
}

/** The function's own limit ends it; CloudFormation waits a little longer for what it says. */
const ANSWER_SLACK = Duration.minutes(1);
const KEEP_EVERY = Duration.hours(1);

/**
 * Puts our part into the cluster, keeps it there, and takes it away with the stack: before anything
 * that it needs for that.
 */
export class ClusterSetup extends Construct {
  readonly fn: HandlerFunction;
  /** `hook`, `poll` or `controller`, as decided when deploying. */
  readonly eventSource: string;
  readonly why: string;

  constructor(scope: Construct, id: string, props: ClusterSetupProps) {
    super(scope, id);
    const { cluster, intake, eventSource, knowsNetwork, isHookPrivate, hook, after, ...rest } =
      props;
    this.fn = new HandlerFunction(this, 'Function', {
      ...rest,
      environment: {
        ...rest.environment,
        EVENT_SOURCE: eventSource,
        CLUSTER_NETWORK: knowsNetwork ? 'ask' : 'unknown',
        FUNCTIONS_IN_VPC: rest.network ? 'yes' : 'no',
        HOOK_ADDRESS: hook?.address ?? intake.address,
        HOOKS_IN_VPC: isHookPrivate ? 'yes' : 'no',
        HOOK_CA: hook?.certificateAuthority ?? '',
        HOOK_TOKEN_SECRET: intake.token.secretArn,
        INTAKE_FUNCTION: intake.fn.functionName,
      },
    });
    const access = this.addAccess(cluster);
    // Hooks that somebody took are put back, a token that is old is replaced.
    new ScheduledCall(this, 'Keep', { fn: this.fn, every: KEEP_EVERY, input: { action: 'keep' } });

    const resource = new CustomResource(this, 'Resource', {
      resourceType: 'Custom::MortiseClusterSetup',
      serviceToken: this.fn.functionArn,
      serviceTimeout: rest.timeout.plus(ANSWER_SLACK),
      // It runs again when it or the intake is another one: a deployment writes the intake's digests
      // over with none.
      properties: { setup: shapeOf(this.fn), intake: shapeOf(intake.fn) },
    });
    resource.node.addDependency(this.fn, access, intake, ...after);
    this.eventSource = resource.getAttString('EventSource');
    this.why = resource.getAttString('Why');
  }

  /** Who writes RBAC must hold what it grants: this one function is an administrator. */
  private addAccess(cluster: string): CfnAccessEntry {
    const { role } = this.fn;
    if (!role) throw new Error(`${this.fn.node.path} has no role to let in`);
    return new CfnAccessEntry(this, 'Access', {
      clusterName: cluster,
      principalArn: role.roleArn,
      type: 'STANDARD',
      accessPolicies: [
        {
          policyArn: `arn:${Stack.of(this).partition}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy`,
          accessScope: { type: 'cluster' },
        },
      ],
    });
  }
}

/**
 * Changes when anything does for which CloudFormation writes the function's configuration anew: it
 * writes all of it then, the environment as well.
 */
function shapeOf(fn: HandlerFunction): object {
  const { defaultChild } = fn.node;
  if (!(defaultChild instanceof CfnFunction)) throw new Error(`${fn.node.path} is no function`);
  const { code, environment, handler, runtime, architectures, memorySize, timeout } = defaultChild;
  const { vpcConfig, tracingConfig, loggingConfig, kmsKeyArn } = defaultChild;
  return {
    ...{ code, environment, handler, runtime, architectures, memorySize, timeout },
    ...{ vpcConfig, tracingConfig, loggingConfig, kmsKeyArn },
  };
}
