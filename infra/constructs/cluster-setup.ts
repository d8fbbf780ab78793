import { createHash } from 'node:crypto';
import { type CfnResource, CustomResource, Duration, Stack } from 'aws-cdk-lib';
import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks';
import { CfnRole, type IRole } from 'aws-cdk-lib/aws-iam';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct, type IDependable } from 'constructs';
import type { EventSourceOption } from '../options/options.ts';
import type { EventIntake } from './event-intake.ts';
import { HandlerFunction, type HandlerFunctionProps } from './handler-function.ts';
import { ScheduledCall } from './scheduled-call.ts';

export interface ClusterSetupProps extends HandlerFunctionProps {
  readonly cluster: string;
  /** Undefined if the options exclude webhooks. */
  readonly intake: EventIntake | undefined;
  readonly eventSource: EventSourceOption;
  /** Why it is not the one of the options. */
  readonly eventSourceReason?: string | undefined;
  /** True if the cluster's network settings can be read from EKS. */
  readonly knowsNetwork: boolean;
  /** True if the hooks call an address inside the VPC. */
  readonly isHookPrivate: boolean;
  /** Resources that the set-up needs at creation and still needs at deletion. */
  readonly after: readonly IDependable[];
}

/** CloudFormation waits a little longer than the function's own timeout. */
const ANSWER_SLACK = Duration.minutes(1);
const REPAIR_EVERY = Duration.hours(1);

/**
 * Installs our objects in the cluster, maintains them, and removes them with the stack, before the
 * resources that the removal needs.
 */
export class ClusterSetup extends Construct {
  readonly fn: HandlerFunction;
  /** The access entry of this release; its rights as an administrator end with the set-up. */
  readonly access: CfnAccessEntry;
  /** Functions that use the cluster start after it with the code of this release. */
  readonly resource: CustomResource;
  /** `hook`, `poll` or `controller`, as decided at deployment. */
  readonly eventSource: string;
  readonly why: string;

  constructor(scope: Construct, id: string, props: ClusterSetupProps) {
    super(scope, id);
    const { cluster, intake, eventSource, eventSourceReason, ...others } = props;
    const { knowsNetwork, isHookPrivate, after, ...rest } = others;
    this.fn = new HandlerFunction(this, 'Function', {
      ...rest,
      environment: {
        ...rest.environment,
        // The only stack whose CloudFormation events the function accepts.
        STACK_ID: Stack.of(this).stackId,
        EVENT_SOURCE: eventSource,
        ...(eventSourceReason !== undefined && { EVENT_SOURCE_REASON: eventSourceReason }),
        CLUSTER_NETWORK: knowsNetwork ? 'ask' : 'unknown',
        FUNCTIONS_IN_VPC: rest.network ? 'yes' : 'no',
        HOOKS_IN_VPC: isHookPrivate ? 'yes' : 'no',
      },
    });
    this.access = this.addAccess(cluster);
    this.resource = new CustomResource(this, 'Resource', {
      resourceType: 'Custom::MortiseClusterSetup',
      serviceToken: this.fn.functionArn,
      serviceTimeout: rest.timeout.plus(ANSWER_SLACK),
      // Runs again when this function or the intake changes: a deployment resets the intake's token
      // digests.
      properties: { setup: shapeOf(this.fn), ...(intake && { intake: shapeOf(intake.fn) }) },
    });
    this.resource.node.addDependency(this.fn, this.access, ...(intake ? [intake] : []), ...after);
    // A repair would interfere with a set-up or a removal under way.
    const repair = { fn: this.fn, every: REPAIR_EVERY, input: { action: 'repair' } };
    new ScheduledCall(this, 'Repair', repair).node.addDependency(this.resource);
    this.eventSource = this.resource.getAttString('EventSource');
    this.why = this.resource.getAttString('Why');
  }

  /**
   * RBAC lets only a holder of rights grant them, so the set-up of each release starts as a cluster
   * administrator. It ends this access itself before it reports success, and may not renew it: only
   * CloudFormation does, by a new role with a new access entry when the code changes.
   */
  private addAccess(cluster: string): CfnAccessEntry {
    const { role } = this.fn;
    if (!role) throw new Error(`${this.fn.node.path} has no role to let in`);
    const release = codeHash(this.fn);
    renameTo(release, roleResource(role));
    this.fn.addEnvironment('ROLE_ARN', role.roleArn);
    const access = new CfnAccessEntry(this, 'Access', {
      clusterName: cluster,
      principalArn: role.roleArn,
      type: 'STANDARD',
      kubernetesGroups: ['mortise:cluster-setup'],
      accessPolicies: [
        {
          policyArn: `arn:${Stack.of(this).partition}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy`,
          accessScope: { type: 'cluster' },
        },
      ],
    });
    renameTo(release, access);
    return access;
  }
}

/** Replaces the hash at the end of a logical id, so that each release has a resource of its own. */
function renameTo(release: string, resource: CfnResource): void {
  const logicalId = Stack.of(resource).getLogicalId(resource);
  resource.overrideLogicalId(`${logicalId.slice(0, -release.length)}${release}`);
}

function roleResource(role: IRole): CfnRole {
  const { defaultChild } = role.node;
  if (!(defaultChild instanceof CfnRole)) throw new Error(`${role.node.path} is no role`);
  return defaultChild;
}

/** Eight characters, as the CDK's own logical ids end. */
function codeHash(fn: HandlerFunction): string {
  const text = JSON.stringify(Stack.of(fn).resolve(functionResource(fn).code));
  return createHash('sha256').update(text).digest('hex').slice(0, 8).toUpperCase();
}

/**
 * Changes with every property for which CloudFormation rewrites the function's configuration,
 * because CloudFormation then rewrites the environment as well.
 */
function shapeOf(fn: HandlerFunction): object {
  const resource = functionResource(fn);
  const { code, environment, handler, runtime, architectures, memorySize, timeout } = resource;
  const { vpcConfig, tracingConfig, loggingConfig, kmsKeyArn } = resource;
  return {
    ...{ code, environment, handler, runtime, architectures, memorySize, timeout },
    ...{ vpcConfig, tracingConfig, loggingConfig, kmsKeyArn },
  };
}

function functionResource(fn: HandlerFunction): CfnFunction {
  const { defaultChild } = fn.node;
  if (!(defaultChild instanceof CfnFunction)) throw new Error(`${fn.node.path} is no function`);
  return defaultChild;
}
