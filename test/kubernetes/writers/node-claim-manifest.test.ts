import { describe, expect, it } from 'vitest';
import { admit } from '../../../shared/api/admission/admit.ts';
import { NODE_CLAIM } from '../../../shared/api/custom-resources/node-claim.ts';
import { toNodeClaimManifest } from '../../../shared/kubernetes/writers/node-claim-manifest.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { HOUR_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { aNodeClaim, anInitializedClaim, NOON } from '../../support/builders.ts';

const at = (seconds: number): number => NOON + seconds * SECOND_MS;

describe('the manifest of a NodeClaim', () => {
  it('is accepted by the API', () => {
    const claim = anInitializedClaim('node-1', {
      requirements: [
        { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
        { key: 'karpenter.sh/nodepool', operator: 'In', values: ['general'] },
        { key: 'kubernetes.io/hostname', operator: 'In', values: ['general-1'] },
        { key: 'node.kubernetes.io/instance-type', operator: 'Exists', minValues: 2 },
      ],
      instanceTypes: ['m7i.large', 'm7i.xlarge'],
      taints: [{ key: 'dedicated', value: 'ml', effect: 'NoSchedule' }],
      expireAfterMs: 720 * HOUR_MS,
      terminationGracePeriodMs: 90 * SECOND_MS,
    });

    expect(admit(NODE_CLAIM, toNodeClaimManifest(claim))).toMatchObject({
      outcome: 'accepted',
      object: {
        spec: {
          requirements: [
            { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
            { key: 'karpenter.sh/nodepool', operator: 'In', values: ['general'] },
            {
              key: 'node.kubernetes.io/instance-type',
              operator: 'In',
              values: ['m7i.large', 'm7i.xlarge'],
              minValues: 2,
            },
          ],
          resources: { requests: { cpu: '1', memory: '1Gi', pods: '1' } },
          expireAfter: '720h',
          terminationGracePeriod: '1m30s',
        },
      },
    });
  });

  it('never changes its spec', () => {
    const specOf = (claim: NodeClaim): unknown =>
      Object.entries(toNodeClaimManifest(claim)).find(([field]) => field === 'spec');

    const before = specOf(aNodeClaim());

    expect(specOf(anInitializedClaim('node-1', { deletingAt: at(60) }))).toEqual(before);
  });
});
