import { needsValidation } from '../../disruption/validation-delay.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { awaitAll, runSequentially } from '../../model/concurrency.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { PoolBackoff } from '../../model/nodes/pool-backoff.ts';
import { type DisruptionCommand, type DisruptionPlan, listCommands } from '../../model/plans.ts';
import { listPodsToRestart } from '../../model/pods/restarts.ts';
import { EXPENSIVE_POOL_TAINT, FILL_LAST_TAINT, isSameTaint, type Taint } from '../../model/requirements/taints.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type { DisruptionInput } from '../../ports/decision-log.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import type { Ports } from '../../ports/ports.ts';
import { recoverCommit } from '../commit/commit.ts';
import { withBackoff } from '../node-pool/backoff.ts';
import { reportExtensionStatus } from '../node-pool/extensions.ts';
import { reportRollouts } from '../node-pool/status.ts';
import { observeCluster } from '../observe-cluster.ts';
import { recordFailure } from '../planning-attempts/planning-attempt.ts';
import { createDecisionId } from '../support/decision-id.ts';
import { requestDisruption } from '../support/hints.ts';
import { unlessUnreadable } from '../support/unreadable-records.ts';
import { changeTaints } from './change-taints.ts';
import { isRunningCommand, progressCommand, startCommand } from './commands.ts';
import { type DecideDisruption, decideDisruption } from './decide-disruption.ts';
import { untaintAbandoned } from './disrupted-taint.ts';
import { markDrift, withDriftFacts } from './drift.ts';
import { storeProposals, validateProposal } from './proposals.ts';
import { recordPlan, withoutSuspectPods, withoutSuspectPools } from './recorded-plan.ts';
import { reconcileRollouts } from './rollouts.ts';
import { markSurplusNodes } from './surplus-nodes.ts';

/**
 * Advances running commands, then plans the next nodes to remove or replace. Also writes the status
 * of NodeOverlays and CapacityBuffers, because each change of theirs requests a disruption run.
 */
export async function reconcileDisruption(
  ports: PortsOf<'disruption'>,
  decide: DecideDisruption = decideDisruption,
): Promise<void> {
  const ownership = await ports.ownership.claim();
  if (ownership.outcome !== 'owner') return;
  await runSequentially([() => reportExtensionStatus(ports), () => disruptNodes(ports, ownership.quietUntil, decide)]);
}

/**
 * @param quietUntil - set after a take-over of the cluster; until then no voluntary disruption
 *   starts
 */
async function disruptNodes(
  ports: PortsOf<'disruption'>,
  quietUntil: EpochMs | undefined,
  decide: DecideDisruption,
): Promise<void> {
  await unlessUnreadable(() => progressCommands(ports));

  const observed = await markDrift(
    ports,
    await withDriftFacts(ports, await withRestarts(ports, await observeCluster(ports, { isEventual: true }))),
  );
  const snapshot = await withoutSuspectPods(
    ports,
    withoutRefusedLaunches(observed, await ports.poolBackoffs.list('launch')),
  );
  await reconcileRollouts(ports, snapshot);
  await reportRollouts(ports, observed);
  const commands = await ports.commands.list();
  // Its nodes would be untainted and left out of the budgets.
  if (commands.unreadable.length > 0) return;
  const running = commands.records.filter(isRunningCommand);
  await untaintAbandoned(ports, snapshot, running);
  await removeExpiredSteeringTaints(ports, snapshot);
  if (running.length > 0) await requestDisruption(ports, snapshot.takenAt + 1);

  // Moves that a launch under way could affect are decided once it is known what it became.
  if (snapshot.claims.some(isLaunching)) await requestDisruption(ports, snapshot.takenAt + 1);

  if (quietUntil !== undefined) {
    await recordQuietTime(ports, { kind: 'disruption', snapshot, running, quietUntil }, decide);
    return requestDisruption(ports, quietUntil);
  }

  const proposal = commands.records.find((command) => !isRunningCommand(command));
  if (proposal) {
    const safe = await withoutSuspectPools(ports, snapshot);
    return validateProposal(ports, proposal, { snapshot: safe, running, decide });
  }
  await planNext(ports, snapshot, running, decide);
}

/** Tells for each node that it stays, and until when. */
async function recordQuietTime(
  { decisionLog, clock }: PortsOf<'disruption'>,
  input: DisruptionInput,
  decide: DecideDisruption,
): Promise<void> {
  const { snapshot, running } = input;
  const at = snapshot.takenAt;
  const id = createDecisionId('d', at, listDecisionInputs(snapshot, running));
  const plan = decide(input, id);
  const tookMs = clock.now() - at;
  await decisionLog.recordDecision({ kind: 'disruption', id, at, tookMs, plan, input });
}

async function progressCommands(ports: PortsOf<'disruption'>): Promise<void> {
  await recoverCommit(ports);
  const commands = (await ports.commands.list()).records.filter(isRunningCommand);
  if (commands.length === 0) return;

  const snapshot = await observeCluster(ports);
  for (const command of commands) await progressCommand(ports, command, snapshot);
}

/**
 * Leaves out claims whose launch EC2 refuses: they may never get an instance, and their pods count
 * as pending. Pools whose launches are refused give no replacements; a command that launches from
 * the pool of such a claim is found stale when it is committed.
 */
function withoutRefusedLaunches(snapshot: ClusterSnapshot, launch: readonly PoolBackoff[]): ClusterSnapshot {
  const { claims, pools, takenAt } = snapshot;
  return {
    ...snapshot,
    claims: claims.filter((claim) => !(isLaunching(claim) && isRefused(claim))),
    pools: withBackoff(pools, { registration: [], launch }, takenAt),
  };
}

const isRefused = ({ waitsFor }: ClusterSnapshot['claims'][number]): boolean => waitsFor?.condition === 'Launched';

const isLaunching = ({ launch, deletingAt }: ClusterSnapshot['claims'][number]): boolean =>
  !launch && deletingAt === undefined;

async function planNext(
  ports: PortsOf<'disruption'>,
  snapshot: ClusterSnapshot,
  running: readonly DisruptionCommand[],
  decide: DecideDisruption,
): Promise<void> {
  const at = snapshot.takenAt;
  const id = createDecisionId('d', at, listDecisionInputs(snapshot, running));
  const attempt = await recordPlan(ports, snapshot, running);
  const { heldBack, end } = attempt;
  const fields = { kind: 'disruption', snapshot, running } as const;
  const input = heldBack ? { ...fields, heldBack } : fields;
  const plan = await recordFailure(attempt, () => decide(input, id));
  const tookMs = ports.clock.now() - at;
  try {
    const done = runSequentially([
      () => carryOut(ports, plan, snapshot),
      () => markSurplusNodes(ports, snapshot, plan),
    ]);
    await awaitAll([done, end()]);
  } finally {
    // Afterwards, so that the record does not delay what was decided.
    await ports.decisionLog.recordDecision({ kind: 'disruption', id, at, tookMs, plan, input });
  }
}

async function carryOut(ports: PortsOf<'disruption'>, plan: DisruptionPlan, snapshot: ClusterSnapshot): Promise<void> {
  const [command, ...more] = listCommands(plan);
  if (!command) return scheduleNextDecision(ports, plan, snapshot.takenAt);
  const commands = [command, ...more] as const;
  if (needsValidation(command)) return storeProposals(ports, commands);
  await startCommands(ports, commands, snapshot);
  await requestDisruption(ports, snapshot.takenAt + 1);
}

/**
 * Starts commands one after the other. Replacements of the earlier ones are added to the snapshot,
 * so that they do not make the later ones stale.
 */
async function startCommands(
  ports: PortsOf<'disruption'>,
  commands: readonly DisruptionCommand[],
  snapshot: ClusterSnapshot,
): Promise<void> {
  let { claims } = snapshot;
  for (const command of commands) {
    await startCommand(ports, command, { ...snapshot, claims });
    claims = [...claims, ...command.replacements.map(({ claim }) => claim)];
  }
}

const listDecisionInputs = (
  { claims, pods }: ClusterSnapshot,
  running: readonly DisruptionCommand[],
): readonly string[] => [...running.map(({ id }) => id), ...claims.map(({ name }) => name), `${pods.length}`];

async function scheduleNextDecision(ports: PortsOf<'disruption'>, plan: DisruptionPlan, now: EpochMs): Promise<void> {
  const times = plan.verdicts.flatMap(({ lookAgainAt }) => lookAgainAt ?? []).filter((time) => time > now);
  if (times.length > 0) await requestDisruption(ports, Math.min(...times));
}

/** Each Deployment takes up to three requests. The nodes of the others stay. */
const MAX_OWNERS = 50;

/**
 * Adds to the snapshot what a drain could restart: nodes whose pods are blocked can be disrupted
 * only if their Deployments can start the replacements elsewhere first.
 */
async function withRestarts({ cluster }: Pick<Ports, 'cluster'>, snapshot: ClusterSnapshot): Promise<ClusterSnapshot> {
  const { pods, podDisruptionBudgets, takenAt } = snapshot;
  const blocked = listPodsToRestart(pods, podDisruptionBudgets, takenAt).slice(0, MAX_OWNERS);
  if (blocked.length === 0) return snapshot;
  return { ...snapshot, restarts: await cluster.findRestarts(blocked) };
}

/** The nodes of a plan join within a minute or two of each other, and its pods are bound at once. */
const FILL_LAST_MS = 5 * MINUTE_MS;

/**
 * Removes the taints by which new nodes steer pods from running nodes: all once `STEER_PODS` is off, and
 * `fill-last` as soon as the pods of the node's plan have had time to be bound. A node that is being deleted
 * keeps them.
 */
export async function removeExpiredSteeringTaints(
  { cluster, settings }: Pick<Ports, 'cluster' | 'settings'>,
  { nodes, takenAt }: { readonly nodes: readonly Node[]; readonly takenAt: EpochMs },
): Promise<void> {
  const isOver = ({ createdAt }: Node, taint: Taint): boolean => {
    const isOff = settings?.steerPods === false;
    if (isSameTaint(taint, EXPENSIVE_POOL_TAINT)) return isOff;
    return isSameTaint(taint, FILL_LAST_TAINT) && (isOff || takenAt - createdAt >= FILL_LAST_MS);
  };
  const changed = nodes.filter(
    (node) => node.deletionAt === undefined && node.taints.some((taint) => isOver(node, taint)),
  );
  await changeTaints(cluster, changed, (node) => node.taints.filter((taint) => !isOver(node, taint)));
}
