import { CfnOutput, Stack, Token } from 'aws-cdk-lib';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { ClusterFacts } from './constructs/cluster-facts.ts';
import type { HandlerFunctionProps } from './constructs/handler-function.ts';
import { NodeRole } from './constructs/node-role.ts';
import { SnapshotBucket } from './constructs/snapshot-bucket.ts';
import { StateTable } from './constructs/state-table.ts';
import { WorkQueues } from './constructs/work-queues.ts';
import type { ApiServerFacts, MortiseOptions } from './options/options.ts';

/** The resources that every function uses: table, bucket, queues, the cluster's endpoint. */
export interface Foundation {
  /** The construct that contains all resources. */
  readonly scope: Construct;
  readonly stack: Stack;
  readonly options: MortiseOptions;
  readonly encryption: { readonly key?: IKey };
  readonly table: StateTable;
  readonly snapshots: SnapshotBucket;
  readonly queues: WorkQueues;
  readonly facts: ApiServerFacts;
  /** The stack's own node role; undefined if the options name roles. */
  readonly nodeRole?: NodeRole;
  /** Roles that may be passed to nodes. */
  readonly nodeRoleArns: readonly string[];
}

export function layFoundation(scope: Construct, options: MortiseOptions): Foundation {
  const { cluster, kmsKeyArn, snapshotRetentionDays: retentionDays } = options;
  const encryption = kmsKeyArn ? { key: withoutGrants(Key.fromKeyArn(scope, 'Key', kmsKeyArn)) } : {};
  const stack = Stack.of(scope);
  return {
    scope,
    stack,
    options,
    encryption,
    table: new StateTable(scope, 'State', encryption),
    snapshots: new SnapshotBucket(scope, 'Snapshots', { retentionDays, ...encryption }),
    queues: new WorkQueues(scope, 'Queues', encryption),
    facts:
      options.apiServer ??
      new ClusterFacts(scope, 'ClusterFacts', {
        cluster,
        stack,
        logRetentionDays: options.logRetentionDays,
        ...encryption,
      }),
    ...layNodeRoles(scope, options),
  };
}

/**
 * The CDK grants a key to each function that reads an encrypted queue, without a condition.
 * `grants.ts` grants it to the same roles, and only through the services that use it.
 */
function withoutGrants(key: IKey): IKey {
  const drop = (grantee: IGrantable): Grant => Grant.drop(grantee, 'grants.ts grants the key');
  return Object.assign(key, {
    grant: drop,
    grantDecrypt: drop,
    grantEncrypt: drop,
    grantEncryptDecrypt: drop,
  });
}

/** The roles of the stack option, or the stack's own node role. */
function layNodeRoles(
  scope: Construct,
  { cluster, nodeRoles, windowsNodeRoles, rolePath }: MortiseOptions,
): Pick<Foundation, 'nodeRole' | 'nodeRoleArns'> {
  const toArn = (role: string): string =>
    Token.isUnresolved(role) || role.startsWith('arn:')
      ? role
      : Stack.of(scope).formatArn({
          ...{ service: 'iam', region: '' },
          ...{ resource: 'role', resourceName: role },
        });
  const windowsArns = windowsNodeRoles.map(toArn);
  if (nodeRoles.length > 0) return { nodeRoleArns: [...nodeRoles.map(toArn), ...windowsArns] };
  const nodeRole = new NodeRole(scope, 'NodeRole', {
    cluster,
    ...(rolePath !== undefined && { path: rolePath }),
  });
  new CfnOutput(scope, 'NodeRoleName', {
    value: nodeRole.roleName,
    description: 'What EC2NodeClasses give as spec.role',
  });
  return {
    nodeRole,
    nodeRoleArns: [nodeRole.roleArn, ...nodeRole.earlierRoleArns, ...windowsArns],
  };
}

/** Properties that all functions share. */
export const common = ({
  options: { logRetentionDays, debugFunctions },
  encryption,
}: Foundation): Pick<HandlerFunctionProps, 'logRetentionDays' | 'debugFunctions' | 'key'> => ({
  logRetentionDays,
  debugFunctions,
  ...encryption,
});

/** Properties of functions that talk to the cluster and may have to run in its VPC. */
export const commonInside = (
  foundation: Foundation,
): Pick<HandlerFunctionProps, 'logRetentionDays' | 'debugFunctions' | 'key' | 'network'> => {
  const { network } = foundation.options;
  return { ...common(foundation), ...(network && { network }) };
};
