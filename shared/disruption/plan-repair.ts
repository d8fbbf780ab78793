import { NODEPOOL_LABEL } from '../model/labels.ts';
import type { Node, NodeTrouble } from '../model/nodes/node.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import { type EpochMs, MINUTE_MS } from '../model/time.ts';

/** How long a node may have a failing condition before it is replaced. */
interface Tolerance {
  readonly condition: string;
  readonly status: NodeTrouble['status'];
  readonly forMs: number;
}

/**
 * @see Karpenter, repair policies of the AWS provider: what the node monitoring agent reports
 */
const TOLERANCES: readonly Tolerance[] = [
  { condition: 'Ready', status: 'False', forMs: 30 * MINUTE_MS },
  { condition: 'Ready', status: 'Unknown', forMs: 30 * MINUTE_MS },
  { condition: 'AcceleratedHardwareReady', status: 'False', forMs: 10 * MINUTE_MS },
  { condition: 'StorageReady', status: 'False', forMs: 30 * MINUTE_MS },
  { condition: 'NetworkingReady', status: 'False', forMs: 30 * MINUTE_MS },
  { condition: 'KernelReady', status: 'False', forMs: 30 * MINUTE_MS },
  { condition: 'ContainerRuntimeReady', status: 'False', forMs: 30 * MINUTE_MS },
];

/** Above this share of unhealthy nodes the cause is elsewhere, and new nodes would fail as well. */
const MAX_UNHEALTHY_SHARE = 0.2;

/** A node to replace at once, regardless of its pods. */
export interface Repair {
  readonly claim: NodeClaim;
  readonly trouble: NodeTrouble;
}

export interface RepairPlan {
  readonly repairs: readonly Repair[];
  /** Due for repair, but too many other nodes are unhealthy. */
  readonly blocked: readonly BlockedRepair[];
}

export interface BlockedRepair extends Repair {
  /** `undefined` if the counts are for the whole cluster. */
  readonly pool?: string;
  readonly unhealthy: number;
  readonly nodes: number;
}

/** Finds managed nodes with a condition that has failed for longer than tolerated. */
export function planRepair(
  claims: readonly NodeClaim[],
  nodes: readonly Node[],
  now: EpochMs,
): RepairPlan {
  const nodesByInstance = Map.groupBy(nodes, ({ providerId }) => providerId);
  const dueRepairs = claims.flatMap((claim) => {
    const [node, second] = (claim.launch && nodesByInstance.get(claim.launch.providerId)) ?? [];
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

/** The failing condition whose tolerance ends first. */
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
  TOLERANCES.find((candidate) => candidate.condition === condition && candidate.status === status);

/** Counts unhealthy nodes in the node's pool, or in the cluster for a node without a pool. */
function computeHealth(
  { labels }: Node,
  all: readonly Node[],
): Pick<BlockedRepair, 'pool' | 'unhealthy' | 'nodes'> {
  const pool = labels[NODEPOOL_LABEL];
  const nodes =
    pool === undefined ? all : all.filter((candidate) => candidate.labels[NODEPOOL_LABEL] === pool);
  const unhealthy = nodes.filter(({ troubles = [] }) => troubles.some(findTolerance)).length;
  return { ...(pool !== undefined && { pool }), unhealthy, nodes: nodes.length };
}
