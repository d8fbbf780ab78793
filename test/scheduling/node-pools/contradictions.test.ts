import { describe, expect, it } from 'vitest';
import { NODEPOOL_LABEL } from '../../../shared/model/labels.ts';
import type { PodSpec } from '../../../shared/model/pods/pod.ts';
import { aNode } from '../../support/builders.ts';
import { aCluster, aPool, need, prefers, requiringNode, tiny, Z1, Z2, ZONE } from '../support/fixture.ts';
import { provision } from '../support/provision.ts';

/** A node with only a zone label, and a NodePool that can launch nothing. */
const bare = aCluster({
  pools: [aPool({ limits: { cpu: 0 } })],
  nodes: [aNode({ name: 'bare', labels: { [NODEPOOL_LABEL]: 'default', [ZONE]: Z1 } })],
});

describe('a pod with contradictory requirements', () => {
  it.each<[string, Partial<PodSpec>]>([
    ['selector and affinity', { nodeSelector: { team: 'red' }, ...requiringNode(need('team', 'NotIn', 'red')) }],
    ['two expressions of a term', requiringNode(need('team', 'In', 'red'), need('team', 'In', 'blue'))],
    ['selector and absence', { nodeSelector: { team: 'red' }, ...requiringNode(need('team', 'DoesNotExist')) }],
    ['selector and wish', { nodeSelector: { team: 'red' }, ...prefers([1, need('team', 'In', 'blue')]) }],
  ])('does not fit a node without the label: %s', (_, spec) => {
    expect(provision(bare, tiny('a', spec)).pending).toEqual(['a']);
  });

  it('is placed by its other terms if only one term contradicts itself', () => {
    const spec = {
      requiredNodeTerms: [[need(ZONE, 'In', Z2), need(ZONE, 'NotIn', Z2)], [need(ZONE, 'In', Z1)]],
    };

    expect(provision(bare, tiny('a', spec)).pending).toEqual([]);
  });
});
