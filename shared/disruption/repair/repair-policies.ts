import type { Node, NodeTrouble } from '../../model/nodes/node.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';

/** When a failing condition of a node lets it be replaced, and how fast. */
interface RepairPolicy {
  readonly condition: string;
  readonly status: NodeTrouble['status'];
  /** The reasons of the condition that the policy is for; `undefined` for all. */
  readonly reason?: RegExp;
  /** How long the node may have the condition before it is replaced. */
  readonly toleranceMs: number;
  /** How long its drain may take, whatever budgets of pods say. */
  readonly drainMs: number;
  /** A reboot ends the fault, so the node need not be replaced. */
  readonly rebootHelps?: true;
}

const DEFAULT = { toleranceMs: 30 * MINUTE_MS, drainMs: 10 * MINUTE_MS };
const FAST = { toleranceMs: 10 * MINUTE_MS, drainMs: 5 * MINUTE_MS };
const ACCELERATOR = { condition: 'AcceleratedHardwareReady', status: 'False' } as const;

/**
 * The node monitoring agent puts the XID of a GPU fault into the reason.
 *
 * @see Karpenter 1.15, repair policies of the AWS provider
 * @see https://docs.nvidia.com/deploy/xid-errors/
 */
const POLICIES: readonly RepairPolicy[] = [
  { condition: 'Ready', status: 'False', ...DEFAULT },
  { condition: 'Ready', status: 'Unknown', ...DEFAULT },
  // Transient faults.
  {
    ...ACCELERATOR,
    reason: /XID(46|48|54|62|63|95|109|110|136|140|143|155|156|158)/,
    ...FAST,
    rebootHelps: true,
  },
  // Fatal faults.
  { ...ACCELERATOR, reason: /XID(64|74|79|119|120)/, ...FAST },
  { condition: 'StorageReady', status: 'False', ...DEFAULT },
  { condition: 'NetworkingReady', status: 'False', ...DEFAULT },
  { condition: 'KernelReady', status: 'False', ...DEFAULT },
  { condition: 'ContainerRuntimeReady', status: 'False', ...DEFAULT },
];

const matchesCondition = (policy: RepairPolicy, { condition, status }: NodeTrouble): boolean =>
  policy.condition === condition && policy.status === status;

/** True if the condition is one for which nodes are replaced, however long it has lasted. */
export const isRepairable = (trouble: NodeTrouble): boolean =>
  POLICIES.some((policy) => matchesCondition(policy, trouble));

/**
 * A reason that no policy of the condition names gets the default. Before 1.15 all faults of an accelerator had
 * the same tolerance.
 *
 * @see Karpenter 1.15, legacyRepairPolicies of the AWS provider
 */
function listPolicies(
  trouble: NodeTrouble,
  isLegacy: boolean,
): readonly Pick<RepairPolicy, 'toleranceMs' | 'drainMs' | 'rebootHelps'>[] {
  const candidates = POLICIES.filter((policy) => matchesCondition(policy, trouble));
  if (isLegacy && trouble.condition === ACCELERATOR.condition) return candidates.slice(0, 1);
  const matching = candidates.filter(({ reason }) => reason?.test(trouble.reason ?? '') ?? true);
  return candidates.length > 0 && matching.length === 0 ? [DEFAULT] : matching;
}

/** A repair that a node is due for. */
export interface DueRepair {
  /** The condition whose tolerance ended first. */
  readonly trouble: NodeTrouble;
  /** When it ended. */
  readonly dueAt: EpochMs;
  /** The shortest drain of all conditions whose tolerance has ended. */
  readonly drainMs: number;
  /** A reboot ends all of these conditions. */
  readonly rebootHelps: boolean;
}

/**
 * @param isLegacy - true for the rules of Karpenter before 1.15: tolerances count from the time of the condition,
 *   whatever it is, and there is no drain
 * @param rebootedAt - the end of the last reboot, from which tolerances count
 * @returns `undefined` if the node is healthy, or within the tolerance of all of its conditions
 */
export function findDueRepair(
  { troubles = [], createdAt }: Pick<Node, 'troubles' | 'createdAt'>,
  now: EpochMs,
  isLegacy: boolean,
  rebootedAt = 0,
): DueRepair | undefined {
  // A condition cannot be older than its node, and one from before a reboot may only not be reported anew.
  const earliest = isLegacy ? 0 : Math.max(createdAt, rebootedAt);
  const due = troubles
    .flatMap((trouble) =>
      listPolicies(trouble, isLegacy).map(({ toleranceMs, drainMs, rebootHelps = false }) => ({
        trouble,
        dueAt: Math.max(trouble.since, earliest) + toleranceMs,
        drainMs: isLegacy ? 0 : drainMs,
        rebootHelps,
      })),
    )
    .filter(({ dueAt }) => dueAt <= now)
    .toSorted((a, b) => a.dueAt - b.dueAt);
  const [first] = due;
  return (
    first && {
      ...first,
      drainMs: Math.min(...due.map(({ drainMs }) => drainMs)),
      rebootHelps: due.every(({ rebootHelps }) => rebootHelps),
    }
  );
}
