import { decideDisruption } from '../controllers/disruption/decide-disruption.ts';
import { decideProvisioning, UNLIMITED_INPUT } from '../controllers/provisioning/decide-provisioning.ts';
import { needsValidation } from '../disruption/validation-delay.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { NodeClaim, RemovalReason } from '../model/nodes/node-claim.ts';
import type { NodePool } from '../model/nodes/node-pool.ts';
import type { DisruptionCommand, NodeVerdict, ProvisioningPlan, Unplaced } from '../model/plans.ts';
import { listCommands } from '../model/plans.ts';
import { isProvisionable } from '../model/pods/disruption-pods.ts';
import { DAY_MS, type EpochMs } from '../model/time.ts';
import { applyPlan } from '../scheduling/explanation/cluster-after-plan.ts';
import { removeNodes } from './remove-nodes.ts';

/** A cluster on the way to the state in which the planner changes nothing any more. */
export interface Projection {
  readonly snapshot: ClusterSnapshot;
  readonly rounds: number;
  /** The rounds that changed something, in their order. */
  readonly steps: readonly ProjectedStep[];
  readonly isSteady: boolean;
  /** Pods that no node can run, as of the last plan. */
  readonly unplaced: readonly Unplaced[];
  /** Why each node stays, as of the last plan of removals. */
  readonly verdicts: readonly NodeVerdict[];
  /** Why nodes were removed or replaced, by name of their claim. */
  readonly removed: ReadonlyMap<string, RemovalReason>;
}

/** The effects of one round. */
export interface ProjectedStep {
  /** Pods wait for nodes that start. */
  readonly launches: boolean;
  /** Nodes are drained. */
  readonly drains: boolean;
  /** A second check comes first. */
  readonly isValidated: boolean;
}

/** A cluster that is not steady by then swings between states. */
const MAX_ROUNDS = 500;

/** @param snapshot - prepared by `completeChanges` */
export const startProjection = (snapshot: ClusterSnapshot): Projection => ({
  snapshot,
  rounds: 0,
  steps: [],
  isSteady: false,
  unplaced: [],
  verdicts: [],
  removed: new Map(),
});

/**
 * Plans once and carries the plan out at once: nodes are ready, pods run, removed nodes are gone.
 * Pending pods come first. `consolidateAfter` has always passed; budgets are those of the snapshot's
 * time, and count again for each plan.
 */
export function planNextRound(projection: Projection): Projection {
  const { snapshot, rounds } = projection;
  if (rounds >= MAX_ROUNDS) return { ...projection, isSteady: true };
  const next = { ...projection, rounds: rounds + 1 };
  const plan = planPods(snapshot, rounds);
  if (plan.claims.length + plan.placements.length > 0) {
    const step = { launches: plan.claims.length > 0, drains: false, isValidated: false };
    return {
      ...next,
      steps: [...projection.steps, step],
      snapshot: carryOut(snapshot, plan),
      unplaced: plan.unplaced,
    };
  }

  const quiet = withQuietNodes(snapshot);
  const input = { kind: 'disruption', snapshot: quiet, running: [] } as const;
  const removals = decideDisruption(input, `what-if-d${rounds}`);
  const planned = { ...next, unplaced: plan.unplaced, verdicts: removals.verdicts };
  if (!removals.command) return { ...planned, isSteady: true };
  const commands = listCommands(removals);
  const step = {
    launches: commands.some(({ replacements }) => replacements.length > 0),
    drains: true,
    isValidated: commands.some(needsValidation),
  };
  return {
    ...planned,
    steps: [...projection.steps, step],
    snapshot: commands.reduce(carryOutCommand, snapshot),
    removed: new Map([
      ...projection.removed,
      ...commands.flatMap(({ candidates, reason }) =>
        candidates.map((name): [string, RemovalReason] => [name, reason]),
      ),
    ]),
  };
}

const NO_PLAN: Pick<ProvisioningPlan, 'claims' | 'placements' | 'unplaced'> = {
  ...{ claims: [], placements: [], unplaced: [] },
};

const planPods = (snapshot: ClusterSnapshot, round: number): typeof NO_PLAN =>
  snapshot.pods.some(isProvisionable)
    ? decideProvisioning({ ...UNLIMITED_INPUT, snapshot }, `what-if-p${round}`)
    : NO_PLAN;

/** Binds the pods of a plan; they run from now on. */
function carryOut(snapshot: ClusterSnapshot, plan: Pick<ProvisioningPlan, 'claims' | 'placements'>): ClusterSnapshot {
  const applied = applyPlan(snapshot, plan);
  return {
    ...applied,
    pods: applied.pods.map((pod) => {
      if (pod.nodeName === undefined || pod.unschedulableSince === undefined) return pod;
      const { unschedulableSince: _, ...bound } = pod;
      return { ...bound, phase: 'Running', ready: true, startedAt: snapshot.takenAt };
    }),
  };
}

function carryOutCommand(
  snapshot: ClusterSnapshot,
  { candidates, replacements, placements }: DisruptionCommand,
): ClusterSnapshot {
  const names = new Set(candidates);
  const without = removeNodes(snapshot, ({ claim }) => claim !== undefined && names.has(claim.name));
  return carryOut(without, { claims: replacements, placements });
}

/** The nodes as they are when no pod has come or gone for longer than any `consolidateAfter`. */
function withQuietNodes(snapshot: ClusterSnapshot): ClusterSnapshot {
  const pools = new Map(snapshot.pools.map((pool) => [pool.name, pool]));
  return {
    ...snapshot,
    claims: snapshot.claims.map((claim) =>
      withQuietSince(claim, snapshot.takenAt - findQuietMs(pools.get(claim.pool))),
    ),
  };
}

function withQuietSince(claim: NodeClaim, since: EpochMs): NodeClaim {
  const { initializedAt, lastPodEventAt } = claim;
  if (initializedAt === undefined) return claim;
  return {
    ...claim,
    initializedAt: Math.min(initializedAt, since),
    lastPodEventAt: Math.min(lastPodEventAt ?? initializedAt, since),
  };
}

/** A day is longer than the age from which on any node is a candidate. */
function findQuietMs(pool: NodePool | undefined): number {
  const after = pool?.disruption.consolidateAfterMs ?? 0;
  return after === 'Never' ? DAY_MS : Math.max(after, DAY_MS);
}
