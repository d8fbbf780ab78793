import { describe, expect, it } from 'vitest';
import { computeAccessCondition, nodeOsOf } from '../../../shared/ec2/node-class/access-condition.ts';
import type { NodeAccess, NodeOs } from '../../../shared/model/nodes/node-access.ts';

const role = 'arn:aws:iam::123456789012:role/nodes';
const show = (access: NodeAccess, os: NodeOs = 'windows') => computeAccessCondition(access, os, 'shop');

describe('the condition NodeAccessReady', () => {
  it('explains that a role cannot serve Linux and Windows', () => {
    const { status, reason, message } = show({ outcome: 'other-type', role, type: 'EC2_LINUX' });

    expect({ status, reason }).toEqual({ status: 'False', reason: 'AccessEntryTypeConflict' });
    expect(message).toBe(
      `${role} has an access entry of type EC2_LINUX, and nodes of this EC2NodeClass need EC2_WINDOWS. A role has one access entry of one type: use one role for Linux nodes and another for Windows nodes`,
    );
  });

  it('advises to delete an entry that is not for nodes', () => {
    const { message } = show({ outcome: 'other-type', role, type: 'STANDARD' }, 'linux');

    expect(message).toContain('delete the entry, and Mortise creates one');
  });

  it('contains the command that creates a missing entry', () => {
    const { reason, message } = show({ outcome: 'missing', role, why: 'denied' });

    expect(reason).toBe('AccessEntryMissing');
    expect(message).toContain(
      `aws eks create-access-entry --cluster-name shop --principal-arn ${role} --type EC2_WINDOWS`,
    );
  });

  it('names the groups that aws-auth must contain', () => {
    const { status, message } = show({ outcome: 'config-map', role });

    expect(status).toBe('Unknown');
    expect(message).toContain('system:bootstrappers, system:nodes, eks:kube-proxy-windows');
    expect(show({ outcome: 'config-map', role }, 'linux').message).not.toContain('windows');
  });

  it.each([
    ['AL2023', 'linux'],
    ['Bottlerocket', 'linux'],
    ['Windows2025', 'windows'],
    ['Custom', undefined],
  ] as const)('takes %s for %s', (family, os) => {
    expect(nodeOsOf(family)).toBe(os);
  });
});
