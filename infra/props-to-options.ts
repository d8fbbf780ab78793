import { CfnResource, Resource, Token } from 'aws-cdk-lib';
import type { MortiseProps } from './mortise-props.ts';
import { OptionsError } from './options/errors.ts';
import type { MortiseOptions, OptionValues } from './options/options.ts';
import { readOptions } from './options/read-options.ts';

/** Options whose values are those of resources, so that they need no check. */
type OfResource =
  | 'nodeRoles'
  | 'windowsNodeRoles'
  | 'permissionsBoundary'
  | 'kmsKeyArn'
  | 'volumeKeys'
  | 'learnedTableKey'
  | 'alarmTopicArn'
  | 'eventBus'
  | 'endpoint'
  | 'certificateAuthority'
  | 'functionSubnets'
  | 'functionSecurityGroups';

/**
 * Translates the construct's properties. Values that are known at synthesis are checked like the
 * options of `cdk deploy`; values that only the deployment knows, such as the name of a new role,
 * cannot be wrong.
 *
 * @param target - account and region of the stack, if they are known
 * @throws OptionsError - a property is wrong, or the cluster's name is not known at synthesis
 */
export function optionsOf(props: MortiseProps, target: MortiseOptions['target']): MortiseOptions {
  const { settings = {}, network, hook, apiServer } = props;
  const named = {
    cluster: nameOf(props.cluster),
    rolePath: props.rolePath,
    eventSource: props.eventSource,
    hookAddress: hook?.address,
    hookCertificateAuthority: hook?.certificateAuthority,
    hookVpcEndpoint: props.hookVpcEndpointId,
    learnedTable: props.learnedTableName,
    imageParameters: props.imageParameters?.join(),
    snapshotRetentionDays: props.snapshotRetentionDays,
    redactNames: props.redactNames,
    logRetentionDays: props.logRetentionDays,
    debugFunctions: props.debugFunctions?.join(),
    eventKinds: props.eventKinds?.join(),
    intakeConcurrency: props.intakeConcurrency,
    serviceCidr: props.serviceCidr,
    size: props.size,
    monitoring: props.monitoring,
  } satisfies Readonly<Record<Exclude<keyof OptionValues, OfResource>, unknown>>;
  const given: Readonly<Record<string, unknown>> = { ...settings, ...named, ...target };
  const options = readOptions((name): unknown => {
    const value = given[name];
    return Token.isUnresolved(value) ? PLACEHOLDERS[name] : value;
  }, {});
  return {
    ...options,
    ...(props.nodeRoles && { nodeRoles: props.nodeRoles.map(({ roleArn }) => roleArn) }),
    ...(props.windowsNodeRoles && {
      windowsNodeRoles: props.windowsNodeRoles.map(({ roleArn }) => roleArn),
    }),
    ...(props.permissionsBoundary && {
      permissionsBoundary: props.permissionsBoundary.managedPolicyArn,
    }),
    ...(props.encryptionKey && { kmsKeyArn: props.encryptionKey.keyArn }),
    ...(props.volumeKeys && { volumeKeys: props.volumeKeys.map(({ keyArn }) => keyArn) }),
    ...(props.learnedTableKey && { learnedTableKey: props.learnedTableKey.keyArn }),
    ...(props.alarmTopic && { alarmTopicArn: props.alarmTopic.topicArn }),
    ...(props.eventBus && { eventBus: props.eventBus.eventBusName }),
    ...(apiServer && { apiServer }),
    ...(hook && { hook }),
    ...(network && {
      network: {
        subnetIds: network.subnets.map(({ subnetId }) => subnetId),
        securityGroupIds: network.securityGroups.map(({ securityGroupId }) => securityGroupId),
      },
    }),
    // A reference was not checked above, and is not in the options yet.
    ...(props.learnedTableName !== undefined && { learnedTable: props.learnedTableName }),
    ...(props.hookVpcEndpointId !== undefined && { hookVpcEndpoint: props.hookVpcEndpointId }),
  };
}

/** Stand for addresses that only the deployment knows, so that the checks see that there is one. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  hookAddress: 'https://hooks.invalid/',
  hookVpcEndpoint: 'vpce-00000000',
};

/** A cluster of the same app has its name as a reference; the literal is in its own properties. */
function nameOf(cluster: MortiseProps['cluster']): string {
  if (typeof cluster === 'string') return cluster;
  const { clusterName } = cluster;
  if (!Token.isUnresolved(clusterName)) return clusterName;
  for (const child of Resource.isOwnedResource(cluster) ? cluster.node.findAll() : []) {
    if (!CfnResource.isCfnResource(child) || child.cfnResourceType !== 'AWS::EKS::Cluster') continue;
    const name = 'name' in child ? child.name : undefined;
    if (typeof name === 'string' && !Token.isUnresolved(name)) return name;
  }
  throw new OptionsError([
    'The name of the cluster must be known at synthesis: give the cluster a clusterName, or pass the name as text.',
  ]);
}
