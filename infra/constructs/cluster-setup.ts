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
  /** True if the cluster's network settings can be read from EKS. */
  readonly knowsNetwork: boolean;
  /** True if the hooks call an address inside the VPC. */
  readonly isHookPrivate: boolean;
  readonly hook?: { readonly address: string; readonly certificateAuthority?: string };
  /** Resources that the set-up needs at creation and still needs at deletion. */
  readonly after: readonly IDependable[];
}

/** CloudFormation waits a little longer than the function's own timeout. */
const ANSWER_SLACK = Duration.minutes(1);
const KEEP_EVERY = Duration.hours(1);

/**
 * Installs our objects in the cluster, maintains them, and removes them with the stack, before the
 * resources that the removal needs.
 */
export class ClusterSetup extends Construct {
  readonly fn: HandlerFunction;
  /** `hook`, `poll` or `controller`, as decided at deployment. */
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
        // The only stack whose CloudFormation events the function accepts.
        STACK_ID: Stack.of(this).stackId,
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
    // Restores deleted webhooks and rotates an old token.
    new ScheduledCall(this, 'Keep', { fn: this.fn, every: KEEP_EVERY, input: { action: 'keep' } });

    const resource = new CustomResource(this, 'Resource', {
      resourceType: 'Custom::MortiseClusterSetup',
      serviceToken: this.fn.functionArn,
      serviceTimeout: rest.timeout.plus(ANSWER_SLACK),
      // Runs again when this function or the intake changes: a deployment resets the intake's token
      // digests.
      properties: { setup: shapeOf(this.fn), intake: shapeOf(intake.fn) },
    });
    resource.node.addDependency(this.fn, access, intake, ...after);
    this.eventSource = resource.getAttString('EventSource');
    this.why = resource.getAttString('Why');
  }

  /**
   * RBAC lets only a holder of rights grant them, so this one function is a cluster administrator.
   */
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
 * Changes with every property for which CloudFormation rewrites the function's configuration,
 * because CloudFormation then rewrites the environment as well.
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
