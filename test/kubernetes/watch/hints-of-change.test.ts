import { describe, expect, it } from 'vitest';
import { readNodeClaim } from '../../../shared/kubernetes/readers/read-node-claim.ts';
import { type ClusterChange, toHintsOfChange } from '../../../shared/kubernetes/watch/hints-of-change.ts';
import type { NodeClaimObject } from '../../../shared/model/nodes/node-claim-object.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import type { Hint } from '../../../shared/ports/work-queue.ts';
import { aNode, aPod, aRunningPod, NOON } from '../../support/builders.ts';
import { aLiveNodeClaim } from '../support/live-objects.ts';

const ofClaim: Hint = { topic: 'claim', claim: 'general-1' };
const plan: Hint = { topic: 'plan' };
const disrupt: Hint = { topic: 'disrupt' };
const look: Hint = {
  topic: 'interruption',
  notice: { kind: 'state-change', providerId: 'aws:///us-east-1a/i-1', at: NOON },
};
const pending = aPod();
const { unschedulableSince: _, ...young } = aPod();
const node = aNode({ providerId: 'aws:///us-east-1a/i-1', taints: [] });
const tainted = { ...node, taints: [{ key: 'startup', value: '', effect: 'NoSchedule' as const }] };
const reading = readNodeClaim(aLiveNodeClaim());
const claim = reading.outcome === 'read' ? reading.value : undefined;
if (!claim) throw new Error('a claim that cannot be read');
const { providerId: __, ...nameless } = node;

describe('the hints of a watched change', () => {
  it.each<readonly [string, ClusterChange, readonly Hint[]]>([
    ['a pod that became unschedulable', { kind: 'Pod', before: young, after: pending }, [plan]],
    ['a new pod that is already unschedulable', { kind: 'Pod', after: pending }, [plan]],
    ['a new pod that kube-scheduler has not tried yet', { kind: 'Pod', after: young }, []],
    ['a pod that is still pending', { kind: 'Pod', before: pending, after: { ...pending } }, []],
    ['a pod that was bound', { kind: 'Pod', before: pending, after: aRunningPod('n') }, []],
    ['a pending pod that is being deleted', { kind: 'Pod', before: pending }, []],
    ['a new node', { kind: 'Node', after: node }, [look]],
    ['a removed node', { kind: 'Node', before: node }, [look]],
    ['a node that is no longer ready', nodeChange(node, { ...node, ready: false }), [look]],
    ['a node that is being deleted', nodeChange(node, { ...node, deletionAt: NOON }), [look]],
    ['a node with new labels', nodeChange(node, { ...node, labels: { a: 'b' } }), []],
    ['a node that was tainted', nodeChange(node, tainted), []],
    ['a node that lost its startup taint', nodeChange(tainted, node), [look, plan]],
    ['a node without an instance', { kind: 'Node', after: nameless }, []],
    ['a node that gets its provider id', nodeChange(nameless, node), [look]],
    ['a claim', { kind: 'NodeClaim', after: claim }, [ofClaim]],
    ['a claim that is being deleted', claimChange({ deletionAt: NOON }), [ofClaim]],
    ['a removed claim', { kind: 'NodeClaim', before: claim }, [ofClaim]],
    ['a claim with new annotations', claimChange({ annotations: { a: 'b' } }), [ofClaim]],
    ['a claim with a new status', claimChange({ nodeName: 'n' }), []],
    ['a pool', { kind: 'NodePool', name: 'general' }, [plan, disrupt]],
    ['an overlay', { kind: 'NodeOverlay', name: 'cheaper' }, [plan, disrupt]],
    ['a buffer', { kind: 'CapacityBuffer', name: 'spare' }, [plan, disrupt]],
    ['a class', { kind: 'EC2NodeClass', name: 'default' }, [{ topic: 'class' }, plan, disrupt]],
  ])('are sent for %s', (_name, change, expected) => {
    expect(toHintsOfChange(change, NOON).map(({ hint }) => hint)).toEqual(expected);
  });

  it.each<readonly [string, ClusterChange, boolean]>([
    ['was bound', { kind: 'Pod', before: pending, after: aRunningPod('node-1') }, true],
    ['is gone', { kind: 'Pod', before: aRunningPod('node-1') }, true],
    ['is being deleted', podChange({ deletionAt: NOON }), true],
    ['has finished', podChange({ phase: 'Succeeded' }), true],
    ['became ready', podChange({ ready: false }), false],
    ['was bound to another node', { kind: 'Pod', after: aRunningPod('node-2') }, false],
    [
      'belongs to a DaemonSet',
      {
        kind: 'Pod',
        after: aRunningPod('node-1', { owner: { kind: 'DaemonSet', name: 'a', uid: 'a' } }),
      },
      false,
    ],
  ])('are sent at once for the claim of a node whose pod %s', (_name, change, isEvent) => {
    expect(toHintsOfChange(change, NOON, findClaimOfNode1)).toEqual(isEvent ? [{ hint: ofClaim, afterMs: 0 }] : []);
  });

  it('are delayed until ten seconds after the pod event that the claim shows', () => {
    const isGone: ClusterChange = { kind: 'Pod', before: aRunningPod('node-1') };
    const delayAfter = (sinceEventMs: number) =>
      toHintsOfChange(isGone, NOON, (node) => {
        const shown = findClaimOfNode1(node);
        return shown && { ...shown, lastPodEventAt: NOON - sinceEventMs };
      })[0]?.afterMs;

    expect(delayAfter(4_000)).toBe(6_000);
    expect(delayAfter(11_000)).toBe(0);
  });

  it('are delayed for a node that became usable, so that waiting pods can be bound first', () => {
    expect(toHintsOfChange(nodeChange(tainted, node), NOON)).toEqual([
      { hint: look, afterMs: 0 },
      { hint: plan, afterMs: 5_000 },
    ]);
  });
});

const findClaimOfNode1 = (node: string): NodeClaimObject | undefined => (node === 'node-1' ? claim : undefined);

function nodeChange(before: typeof nameless, after: typeof nameless): ClusterChange {
  return { kind: 'Node', before, after };
}

function claimChange(over: Partial<NodeClaimObject>): ClusterChange {
  return claim ? { kind: 'NodeClaim', before: claim, after: { ...claim, ...over } } : { kind: 'NodeClaim' };
}

function podChange(over: Partial<Pod>): ClusterChange {
  const before = aRunningPod('node-1');
  return { kind: 'Pod', before, after: { ...before, ...over } };
}
