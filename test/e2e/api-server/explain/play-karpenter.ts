import { formatInstant } from '../../../../shared/model/time.ts';
import { listAt, valueAt } from '../../lab/json.ts';
import type { AdminClient } from '../../lab/kubernetes/admin-client.ts';
import { KARPENTER_LEASE } from '../../lab/kubernetes/karpenter-double.ts';
import { type HeldLease, keepLease } from '../../lab/kubernetes/keep-lease.ts';
import { conditionOf } from '../samples.ts';
import { ZONES } from './objects.ts';

const EVENTS = '/apis/events.k8s.io/v1/namespaces/default/events';
const CLAIM = '/apis/karpenter.sh/v1/nodeclaims/drift-waiting';
const NODE = '/api/v1/nodes/drift-waiting';

interface KarpenterEvent {
  readonly kind: 'NodeClaim' | 'NodePool';
  readonly name: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
}

/** Texts of Karpenter 1.14 about the objects of the questions. */
const EVENTS_OF_KARPENTER: readonly KarpenterEvent[] = [
  // Karpenter has deleted these NodeClaims again.
  ...ZONES.map((zone, index) => ({
    ...({ kind: 'NodeClaim', name: `no-capacity-x7k2${index}`, type: 'Warning' } as const),
    reason: 'InsufficientCapacityError',
    note: `NodeClaim no-capacity-x7k2${index} event: creating instance, with fleet error(s), InsufficientInstanceCapacity: We currently do not have sufficient m5.large capacity in the Availability Zone you requested (${zone}). Our system will be working on provisioning additional capacity.`,
  })),
  {
    ...{ kind: 'NodeClaim', name: 'pdb', type: 'Normal', reason: 'DisruptionBlocked' },
    note: 'Pdb prevents pod evictions (PodDisruptionBudget=[default/guard])',
  },
  {
    ...{ kind: 'NodeClaim', name: 'not-cheaper', type: 'Normal', reason: 'Unconsolidatable' },
    note: "Can't replace with a cheaper node",
  },
  {
    ...{ kind: 'NodeClaim', name: 'drift-waiting', type: 'Normal' },
    reason: 'DisruptionWaitingReadiness',
    note: 'Waiting on readiness to continue disruption',
  },
];

/** Plays a Karpenter that has found out what only it knows: its lease, Events, conditions, a taint. */
export async function playKarpenter(kube: AdminClient): Promise<HeldLease> {
  const lease = await keepLease(kube, KARPENTER_LEASE);
  const conditions = listAt(valueAt(await kube.get(CLAIM), 'status'), 'conditions');
  const disruption = [
    { ...conditionOf('Drifted', 'True'), reason: 'NodePoolDrifted' },
    { ...conditionOf('DisruptionReason', 'True'), reason: 'Drifted' },
  ];
  await kube.patch(`${CLAIM}/status`, { status: { conditions: [...conditions, ...disruption] } });
  await kube.patch(NODE, {
    spec: { taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] },
  });
  const eventTime = formatInstant(Date.now()).replace('Z', '.000000Z');
  for (const event of EVENTS_OF_KARPENTER) await kube.create(EVENTS, toObject(event, eventTime));
  return lease;
}

/** Cluster-scoped objects have their Events in the namespace `default`. */
const toObject = ({ kind, name, type, reason, note }: KarpenterEvent, eventTime: string) => ({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { namespace: 'default', generateName: `${name}-` },
  ...{ type, reason, note, eventTime, action: reason },
  ...{ reportingController: 'karpenter', reportingInstance: 'karpenter-0' },
  regarding: { apiVersion: 'karpenter.sh/v1', kind, name },
});
