import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../../shared/model/pods/pod.ts';
import { aNode } from '../../support/builders.ts';
import { aCluster, aPool, HOSTNAME, need, requiringNode, tiny } from '../support/fixture.ts';
import { listReasonCodes, provision } from '../support/provision.ts';

describe('pods that no NodePool may serve', () => {
  it.each<[string, Partial<PodSpec>]>([
    ['a hostname is not known before the node is', { nodeSelector: { [HOSTNAME]: 'red' } }],
    ['nobody sets labels of karpenter.sh', { nodeSelector: { 'karpenter.sh/test': 'x' } }],
    ['fields of a node are not known either', requiringNode(need('metadata.name', 'In', 'node-1'))],
  ])('stay pending: %s', (_, spec) => {
    const outcome = provision(aCluster(), tiny('a', spec));

    expect(outcome.pending).toEqual(['a']);
    expect(listReasonCodes(outcome)).toEqual(['unknown-label']);
  });

  it('stay pending though an existing node may have the hostname', () => {
    const nodes = [aNode({ name: 'red', labels: { [HOSTNAME]: 'red' } })];
    const spec = { nodeSelector: { [HOSTNAME]: 'red' } };

    expect(provision(aCluster({ nodes }), tiny('a', spec)).pending).toEqual([]);
  });

  it('are neither planned nor reported if they exclude NodePools', () => {
    const spec = requiringNode(need('karpenter.sh/nodepool', 'DoesNotExist'));
    const { plan } = provision(aCluster(), tiny('a', spec), tiny('b'));

    expect(plan.claims.flatMap(({ pods }) => pods)).toEqual(['default/b']);
    expect(plan.unplaced).toEqual([]);
  });
});

describe('a NodePool template', () => {
  it('copies its annotations to the claim', () => {
    const cluster = aCluster({ pools: [aPool({ annotations: { team: 'red' } })] });
    const [planned] = provision(cluster, tiny('a')).plan.claims;

    expect(planned?.claim.annotations).toMatchObject({ team: 'red' });
  });
});
