import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Node } from '../model/nodes/node.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import { isReschedulable } from '../model/pods/disruption-pods.ts';
import type { Pod } from '../model/pods/pod.ts';
import type { EpochMs } from '../model/time.ts';

/** A Node with its claim; one of them may be missing. */
export interface MemberNode {
  readonly node?: Node;
  readonly claim?: NodeClaim;
}

/** Removes nodes at once. Their pods are pending; those of DaemonSets are gone. */
export function removeNodes(snapshot: ClusterSnapshot, isGone: (member: MemberNode) => boolean): ClusterSnapshot {
  const claimByNode = new Map(
    snapshot.claims.flatMap((claim) => (claim.nodeName === undefined ? [] : [[claim.nodeName, claim]])),
  );
  const goneNodes = new Set<string>();
  const goneClaims = new Set<string>();
  for (const node of snapshot.nodes) {
    const claim = claimByNode.get(node.name);
    if (!isGone({ node, ...(claim && { claim }) })) continue;
    goneNodes.add(node.name);
    if (claim) goneClaims.add(claim.name);
  }
  const nodeNames = new Set(snapshot.nodes.map(({ name }) => name));
  for (const claim of snapshot.claims) {
    const hasNode = claim.nodeName !== undefined && nodeNames.has(claim.nodeName);
    if (!hasNode && isGone({ claim })) goneClaims.add(claim.name);
  }
  if (goneNodes.size + goneClaims.size === 0) return snapshot;
  return {
    ...snapshot,
    nodes: snapshot.nodes.filter(({ name }) => !goneNodes.has(name)),
    claims: snapshot.claims.filter(({ name }) => !goneClaims.has(name)),
    pods: snapshot.pods.flatMap((pod) => {
      if (pod.nodeName === undefined || !goneNodes.has(pod.nodeName)) return [pod];
      return isReschedulable(pod) ? [toPendingPod(pod, snapshot.takenAt)] : [];
    }),
  };
}

/** The pod as its owner creates it again, under the same name. */
export function toPendingPod(pod: Pod, now: EpochMs): Pod {
  const { namespace, name, uid, labels, annotations, spec, owner, madeClaims } = pod;
  return {
    ...{ namespace, name, uid, labels, annotations, spec },
    ...(owner && { owner }),
    ...(madeClaims && { madeClaims }),
    ...{ createdAt: now, unschedulableSince: now, phase: 'Pending', ready: false },
  };
}
