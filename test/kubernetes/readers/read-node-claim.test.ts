import { describe, expect, it } from 'vitest';
import { readNodeClaim } from '../../../shared/kubernetes/readers/read-node-claim.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import { DEFAULT_CLASS, NOON, resources } from '../../support/builders.ts';
import { aLiveNodeClaim, NOON_TEXT } from '../support/live-objects.ts';

const read = (over: Parameters<typeof aLiveNodeClaim>[0] = {}) => readNodeClaim(aLiveNodeClaim(over));

describe('a stored NodeClaim', () => {
  it('is only a request without a status', () => {
    expect(read()).toEqual({
      outcome: 'read',
      value: {
        name: 'general-1',
        uid: 'uid-general-1',
        createdAt: NOON,
        labels: { 'karpenter.sh/nodepool': 'general' },
        annotations: {},
        owners: [],
        finalizers: ['karpenter.sh/termination'],
        nodeClass: DEFAULT_CLASS,
        requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m7i.large'] }],
        taints: [],
        startupTaints: [],
        requests: resources(1, 1),
        expireAfterMs: 30 * DAY_MS,
        capacity: {},
        allocatable: {},
        conditions: [],
      },
    });
  });

  it('shows its status and its deletion', () => {
    const reading = read({
      metadata: {
        annotations: { 'karpenter.sh/do-not-disrupt': 'true' },
        deletionTimestamp: NOON_TEXT,
        ownerReferences: [{ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name: 'general', uid: 'pool-1' }],
      },
      spec: { expireAfter: 'Never', terminationGracePeriod: '1h30m' },
      status: {
        providerID: 'aws:///us-east-1a/i-1',
        nodeName: 'node-1',
        imageID: 'ami-1',
        capacity: { cpu: '2' },
        allocatable: { cpu: '1930m' },
        lastPodEventTime: NOON_TEXT,
        conditions: [{ type: 'Launched', status: 'True', reason: 'Launched', lastTransitionTime: NOON_TEXT }],
      },
    });

    expect(reading).toMatchObject({
      outcome: 'read',
      value: {
        annotations: { 'karpenter.sh/do-not-disrupt': 'true' },
        deletionAt: NOON,
        owners: [{ kind: 'NodePool', name: 'general', uid: 'pool-1' }],
        terminationGracePeriodMs: HOUR_MS + 30 * MINUTE_MS,
        providerId: 'aws:///us-east-1a/i-1',
        nodeName: 'node-1',
        imageId: 'ami-1',
        capacity: { cpu: 2_000 },
        allocatable: { cpu: 1_930 },
        lastPodEventAt: NOON,
        conditions: [{ type: 'Launched', status: 'True', reason: 'Launched', since: NOON }],
      },
    });
    expect(reading).not.toHaveProperty('value.expireAfterMs');
  });

  it.each([
    ['2026-01-01T12:00:00Z', NOON],
    ['soon', undefined],
  ])('ignores a deadline that is no valid time: %s', (text, deadline) => {
    const key = 'karpenter.sh/nodeclaim-termination-timestamp';
    const reading = read({ metadata: { annotations: { [key]: text } } });

    expect(reading).toMatchObject({ outcome: 'read', value: { annotations: { [key]: text } } });
    if (deadline === undefined) expect(reading).not.toHaveProperty('value.deadline');
    else expect(reading).toHaveProperty('value.deadline', deadline);
  });

  it('is left out if it belongs to another provider', () => {
    const nodeClassRef = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };

    expect(read({ spec: { nodeClassRef } })).toEqual({ outcome: 'read', value: undefined });
  });

  it('is named if it cannot be read, and others are still read', () => {
    expect(read({ spec: { expireAfter: 'soon' } })).toMatchObject({
      outcome: 'unreadable',
      object: { kind: 'NodeClaim', name: 'general-1', forbids: [] },
    });
  });
});
