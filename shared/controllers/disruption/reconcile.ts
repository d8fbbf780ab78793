import { planDisruption } from '../../disruption/plan-disruption.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { DisruptionCommand, DisruptionPlan } from '../../model/plans.ts';
import type { EpochMs } from '../../model/time.ts';
import type { Ports } from '../../ports/ports.ts';
import { decisionId } from '../support/decision-id.ts';
import { isRunning, progressCommand, startCommand } from './commands.ts';
import { judgeProposal, needsValidation, propose } from './proposals.ts';
import { requestTurn } from '../support/disruption-turn.ts';
import { markDrift } from './drift.ts';
import { observe } from '../observe-cluster.ts';
import { withDriftFacts } from './observe-drift.ts';
import { settleCommit } from '../commit/commit.ts';
import { untaintAbandoned } from './disrupted-taint.ts';
import { watchRollouts } from './watch-rollouts.ts';

/** Carries commands further, then looks for the next nodes to remove or replace. */
export async function reconcileDisruption(ports: Ports): Promise<void> {
  const standing = await ports.ownership.claim();
  if (standing.outcome !== 'owner') return;
  await progressCommands(ports);

  const snapshot = await markDrift(ports, await withDriftFacts(ports, await observe(ports)));
  await watchRollouts(ports, snapshot);
  const commands = await ports.commands.list();
  const running = commands.filter(isRunning);
  await untaintAbandoned(ports, snapshot, running);
  if (running.length > 0) await requestTurn(ports, snapshot.takenAt + 1);

  // A claim that is neither there nor not there makes every simulation wrong.
  if (snapshot.claims.some(isLaunching)) return requestTurn(ports, snapshot.takenAt + 1);

  // Whoever took the cluster over begins nothing of its own will for a while.
  const { calmUntil } = standing;
  if (calmUntil !== undefined) return requestTurn(ports, calmUntil);

  const proposal = commands.find((command) => !isRunning(command));
  if (proposal) return judgeProposal(ports, proposal, snapshot, running);
  await planNext(ports, snapshot, running);
}

async function progressCommands(ports: Ports): Promise<void> {
  await settleCommit(ports);
  const commands = (await ports.commands.list()).filter(isRunning);
  if (commands.length === 0) return;

  const snapshot = await observe(ports);
  for (const command of commands) await progressCommand(ports, command, snapshot);
}

const isLaunching = ({ launch, deletingAt }: ClusterSnapshot['claims'][number]): boolean =>
  !launch && deletingAt === undefined;

async function planNext(
  ports: Ports,
  snapshot: ClusterSnapshot,
  running: readonly DisruptionCommand[],
): Promise<void> {
  const at = snapshot.takenAt;
  const id = decisionId('d', at, contentOf(snapshot, running));
  const plan = planDisruption(snapshot, running, id);
  await ports.journal.decided({ kind: 'disruption', id, at, plan });

  const { command, more = [] } = plan;
  if (!command) return lookAgainWhenDue(ports, plan, at);
  if (needsValidation(command)) return propose(ports, command);
  await startCommands(ports, [command, ...more], snapshot);
  await requestTurn(ports, at + 1);
}

/** What one has launched is nothing that came between for the next. */
async function startCommands(
  ports: Ports,
  commands: readonly DisruptionCommand[],
  snapshot: ClusterSnapshot,
): Promise<void> {
  let { claims } = snapshot;
  for (const command of commands) {
    await startCommand(ports, command, { ...snapshot, claims });
    claims = [...claims, ...command.replacements.map(({ claim }) => claim)];
  }
}

const contentOf = (
  { claims, pods }: ClusterSnapshot,
  running: readonly DisruptionCommand[],
): readonly string[] => [
  ...running.map(({ id }) => id),
  ...claims.map(({ name }) => name),
  `${pods.length}`,
];

async function lookAgainWhenDue(ports: Ports, plan: DisruptionPlan, now: EpochMs): Promise<void> {
  const times = plan.verdicts
    .flatMap(({ lookAgainAt }) => lookAgainAt ?? [])
    .filter((time) => time > now);
  if (times.length > 0) await requestTurn(ports, Math.min(...times));
}
