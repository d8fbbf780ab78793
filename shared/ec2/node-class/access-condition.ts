import type { NodeAccess, NodeOs } from '../../model/nodes/node-access.ts';
import type { AmiFamily } from '../../model/nodes/node-class.ts';
import type { NodeClassCondition } from '../../model/nodes/resolved-node-class.ts';

/** The type of access entry with which nodes of an operating system join. */
export const ENTRY_TYPES = { linux: 'EC2_LINUX', windows: 'EC2_WINDOWS' } as const;

/** The operating system of an AMI family; `undefined` if the images decide. */
export function nodeOsOf(family: AmiFamily): NodeOs | undefined {
  if (family === 'Custom') return undefined;
  return family.startsWith('Windows') ? 'windows' : 'linux';
}

/**
 * Computes the class's NodeAccessReady condition. It is informational: nodes may have access in a
 * way that EKS does not show, such as the ConfigMap aws-auth.
 *
 * @param cluster - its name, for the command that creates an entry
 */
export function computeAccessCondition(access: NodeAccess, os: NodeOs, cluster: string): NodeClassCondition {
  const type = 'NodeAccessReady';
  const needed = ENTRY_TYPES[os];
  switch (access.outcome) {
    case 'ready':
      return { type, status: 'True', reason: type, message: '' };
    case 'other-type':
      return {
        ...{ type, status: 'False', reason: 'AccessEntryTypeConflict' },
        message: explainConflict(access, os),
      };
    case 'missing':
      return {
        ...{ type, status: 'False', reason: 'AccessEntryMissing' },
        message: `${access.role} has no access entry, and none was created: ${access.why}. To create it: aws eks create-access-entry --cluster-name ${cluster} --principal-arn ${access.role} --type ${needed}`,
      };
    case 'config-map':
      return {
        ...{ type, status: 'Unknown', reason: 'ConfigMapAuthentication' },
        message: `the cluster has the authentication mode CONFIG_MAP: the ConfigMap kube-system/aws-auth must map ${access.role} to the user system:node:{{EC2PrivateDNSName}} in the groups ${GROUPS[os].join(', ')}`,
      };
    case 'unknown':
      return { type, status: 'Unknown', reason: 'AccessEntryUnknown', message: access.why };
  }
}

const GROUPS: Readonly<Record<NodeOs, readonly string[]>> = {
  linux: ['system:bootstrappers', 'system:nodes'],
  windows: ['system:bootstrappers', 'system:nodes', 'eks:kube-proxy-windows'],
};

const OTHERS: Readonly<Record<string, string>> = { EC2_LINUX: 'Linux', EC2_WINDOWS: 'Windows' };

function explainConflict({ role, type }: Extract<NodeAccess, { outcome: 'other-type' }>, os: NodeOs): string {
  const needed = ENTRY_TYPES[os];
  const other = OTHERS[type];
  const conflict = `${role} has an access entry of type ${type}, and nodes of this EC2NodeClass need ${needed}`;
  return other === undefined
    ? `${conflict}: delete the entry, and Mortise creates one of this type`
    : `${conflict}. A role has one access entry of one type: use one role for Linux nodes and another for Windows nodes`;
}
