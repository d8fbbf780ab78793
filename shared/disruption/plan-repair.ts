import { NODEPOOL_LABEL } from '../model/labels.ts';
import type { Node, NodeTrouble } from '../model/nodes/node.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import { type EpochMs, MINUTE_MS } from '../model/time.ts';

/** How long a node may be unwell in one way before it is replaced. */
interface Tolerance {
  readonly condition: string;
  readonly status: NodeTrouble['status'];
  readonly forMs: number;
}

/** @see Karpenter, repair policies of the AWS provider: what the node monitoring agent reports */
const TOLERANCES: readonly Tolerance[] = [
  { condition: 'Ready', status: 'False', forMs: 30 * MINUTE_MS },
  { condition: 'Ready', status: 'Unknown', forMs: 30 * MINUTE_MS },
  { condition: 'AcceleratedHardwareReady', status: 'False', forMs: 10 * MINUTE_MS },
  { condition: 'StorageReady', status: 'False', forMs: 30 * MINUTE_MS },
  { condition: 'NetworkingReady', status: 'False', forMs: 30 * MINUTE_MS },
  { condition: 'KernelReady', status: 'False', forMs: 30 * MINUTE_MS },
  { condition: 'ContainerRuntimeReady', status: 'False', forMs: 30 * MINUTE_MS },
];

/** Above this share of nodes the fault lies elsewhere: new nodes would be no better. */
const MAX_UNHEALTHY_SHARE = 0.2;

/** A node that is to be replaced at once, whatever its pods say. */
export interface Repair {
  readonly claim: NodeClaim;
  readonly trouble: NodeTrouble;
}

export interface RepairPlan {
  readonly repairs: readonly Repair[];
  /** Due, but too many others are unhealthy too. */
  readonly blocked: readonly BlockedRepair[];
}

export interface BlockedRepair extends Repair {
  /** Absent: of the whole cluster. */
  readonly pool?: string;
  readonly unhealthy: number;
  readonly nodes: number;
}

/** The nodes of ours that have been unwell for longer than is tolerated. */
export function planRepair(
  claims: readonly NodeClaim[],
  nodes: readonly Node[],
  now: EpochMs,
): RepairPlan {
  const dueRepairs = claims.flatMap((claim) => {
    const own = nodes.filter((node) => isNodeOf(node, claim));
    const [node, second] = own;
    const due = node && !second ? findFirstDue(node) : undefined;
    return node && due ? [{ claim, node, ...due }] : [];
  });
  const repairs: Repair[] = [];
  const blocked: BlockedRepair[] = [];
  for (const { claim, node, trouble, at } of dueRepairs) {
    if (at > now) continue;
    const health = computeHealth(node, nodes);
    const isOverLimit = health.unhealthy > Math.ceil(MAX_UNHEALTHY_SHARE * health.nodes);
    if (isOverLimit) blocked.push({ claim, trouble, ...health });
    else repairs.push({ claim, trouble });
  }
  return { repairs, blocked };
}

const isNodeOf = ({ providerId }: Node, { launch }: NodeClaim): boolean =>
  providerId !== undefined && providerId === launch?.providerId;

/** Of all that is wrong with it, what is tolerated no longer first. */
function findFirstDue({ troubles = [] }: Node): { trouble: NodeTrouble; at: EpochMs } | undefined {
  const [first] = troubles
    .flatMap((trouble) => {
      const tolerance = findTolerance(trouble);
      return tolerance ? [{ trouble, at: trouble.since + tolerance.forMs }] : [];
    })
    .toSorted((a, b) => a.at - b.at);
  return first;
}

const findTolerance = ({ condition, status }: NodeTrouble): Tolerance | undefined =>
  TOLERANCES.find((one) => one.condition === condition && one.status === status);

/** In its pool; of a node without one, in the cluster. */
function computeHealth(
  { labels }: Node,
  all: readonly Node[],
): Pick<BlockedRepair, 'pool' | 'unhealthy' | 'nodes'> {
  const pool = labels[NODEPOOL_LABEL];
  const nodes = pool === undefined ? all : all.filter((one) => one.labels[NODEPOOL_LABEL] === pool);
  const unhealthy = nodes.filter(({ troubles = [] }) => troubles.some(findTolerance)).length;
  return { ...(pool !== undefined && { pool }), unhealthy, nodes: nodes.length };
}
