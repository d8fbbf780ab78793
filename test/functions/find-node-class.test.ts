import { describe, expect, it } from 'vitest';
import { findNodeClassIn } from '../../functions/support/find-node-class.ts';
import './fixture.ts';

const written = (spec: object) => ({
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: 'default', uid: 'u-1' },
  spec: {
    role: 'KarpenterNodeRole-demo',
    amiSelectorTerms: [{ alias: 'bottlerocket@latest' }],
    subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'demo' } }],
    securityGroupSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'demo' } }],
    ...spec,
  },
});

const find = (status: number, body: unknown) =>
  findNodeClassIn({ ask: async () => ({ status, body }) })('default');

describe('an EC2NodeClass of the cluster', () => {
  it('is read as launches need it', async () => {
    expect(await find(200, written({}))).toMatchObject({
      name: 'default',
      uid: 'u-1',
      amiFamily: 'Bottlerocket',
    });
  });

  it('is absent if the cluster has none of that name', async () => {
    expect(await find(404, { kind: 'Status' })).toBeUndefined();
  });

  it('is absent if nobody can read it: its pools are left alone', async () => {
    expect(await find(200, written({ amiSelectorTerms: 'all' }))).toBeUndefined();
  });
});
