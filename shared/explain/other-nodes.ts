import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Reason } from '../model/explanations/reasons.ts';
import { type Pod, podKey } from '../model/pods/pod.ts';
import { planProvisioning } from '../scheduling/plan-provisioning.ts';

export interface RoomElsewhere {
  readonly fit: boolean;
  /** Why the first pod does not fit the nearest node; undefined if there is no other node. */
  readonly reason?: Reason;
}

/** Plans the pods of a node without this node and without new ones. */
export function wouldPodsFitElsewhere(snapshot: ClusterSnapshot, node: string, pods: readonly Pod[]): RoomElsewhere {
  if (pods.length === 0) return { fit: true };
  const moving = new Set(pods);
  const without: ClusterSnapshot = {
    ...snapshot,
    pools: [],
    nodes: snapshot.nodes.filter(({ name }) => name !== node),
    claims: snapshot.claims.filter(({ nodeName }) => nodeName !== node),
    pods: snapshot.pods.flatMap((pod) => {
      if (!moving.has(pod)) return pod.nodeName === undefined || pod.nodeName === node ? [] : [pod];
      const { nodeName: _, startedAt: __, ...unbound } = pod;
      const phase = 'Pending' as const;
      return [{ ...unbound, phase, ready: false, unschedulableSince: snapshot.takenAt }];
    }),
  };
  const { unplaced } = planProvisioning(without, 'explain', { anticipate: false });
  // Pods of other nodes that are being drained are planned too; theirs is another question.
  const keys = new Set(pods.map(podKey));
  const lacking = unplaced.filter((one) => one.pods.some((key) => keys.has(key)));
  const reason = lacking[0]?.nodes[0]?.reason;
  return { fit: lacking.length === 0, ...(reason && { reason }) };
}
