import {
  AccessDeniedException,
  DisassociateAccessPolicyCommand,
  EKSClient,
  ListAssociatedAccessPoliciesCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-eks';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { eksAdministratorAccess } from '../../../shared/aws/eks/administrator-access.ts';
import { NOON } from '../../support/builders.ts';

const eks = mockClient(EKSClient);
// The class is mocked, which the files of the same process share.
afterAll(() => eks.restore());
const ENTRY = { cluster: 'demo', principalArn: 'arn:aws:iam::123456789012:role/setup' };
const REQUEST = { clusterName: 'demo', principalArn: ENTRY.principalArn };
const ADMIN_POLICY = 'arn:aws-cn:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy';
const VIEW_POLICY = 'arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy';

let now: number;
const waiting = {
  clock: { now: () => now },
  sleep: async (ms: number) => {
    now += ms;
  },
};
const access = () => eksAdministratorAccess(new EKSClient({ region: 'us-east-1' }), ENTRY, waiting);

const denied = new AccessDeniedException({ message: 'not allowed', $metadata: {} });
const missing = new ResourceNotFoundException({ message: 'no entry', $metadata: {} });

beforeEach(() => {
  eks.reset();
  now = NOON;
});

describe("the set-up's access as an administrator", () => {
  it('is found on any page, by the policy alone', async () => {
    eks
      .on(ListAssociatedAccessPoliciesCommand)
      .resolvesOnce({ associatedAccessPolicies: [{ policyArn: VIEW_POLICY }], nextToken: 'next' })
      .resolves({
        associatedAccessPolicies: [{ policyArn: ADMIN_POLICY, associatedAt: new Date(NOON) }],
      });
    expect(await access().heldSince()).toBe(NOON);
  });

  it.each([
    ['another policy is associated', [{ policyArn: VIEW_POLICY }]],
    ['none is', []],
  ])('does not exist if %s', async (_, associatedAccessPolicies) => {
    eks.on(ListAssociatedAccessPoliciesCommand).resolves({ associatedAccessPolicies });
    expect(await access().heldSince()).toBeUndefined();
  });

  it('does not exist without the cluster or the entry, so that a stack can be deleted after its cluster', async () => {
    eks.on(ListAssociatedAccessPoliciesCommand).rejects(missing);
    expect(await access().heldSince()).toBeUndefined();
    await access().end();
    expect(eks.commandCalls(DisassociateAccessPolicyCommand)).toEqual([]);
  });

  it('is asked for again for a minute, because the rights of a new role come with a delay', async () => {
    eks
      .on(ListAssociatedAccessPoliciesCommand)
      .rejectsOnce(denied)
      .rejectsOnce(denied)
      .resolves({ associatedAccessPolicies: [] });
    expect(await access().heldSince()).toBeUndefined();
    expect(now - NOON).toBe(6_000);

    eks.on(ListAssociatedAccessPoliciesCommand).rejects(denied);
    await expect(access().heldSince()).rejects.toThrow('not allowed');
    expect(now - NOON).toBe(66_000);
  });

  it('ends with exactly this policy of exactly this entry', async () => {
    eks.on(ListAssociatedAccessPoliciesCommand).resolves({
      associatedAccessPolicies: [{ policyArn: VIEW_POLICY }, { policyArn: ADMIN_POLICY }],
    });
    eks.on(DisassociateAccessPolicyCommand).resolves({});

    await access().end();

    expect(eks.commandCalls(DisassociateAccessPolicyCommand).map(({ args }) => args[0].input)).toEqual([
      { ...REQUEST, policyArn: ADMIN_POLICY },
    ]);
  });

  it('is not reported as ended if EKS refuses', async () => {
    eks.on(ListAssociatedAccessPoliciesCommand).resolves({ associatedAccessPolicies: [{ policyArn: ADMIN_POLICY }] });
    eks.on(DisassociateAccessPolicyCommand).rejects(denied);
    await expect(access().end()).rejects.toThrow('not allowed');
  });
});
