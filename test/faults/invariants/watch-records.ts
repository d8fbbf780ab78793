import type { ClaimProgress, NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { DisruptionCommand } from '../../../shared/model/plans.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import type { Commands, NodeClaims } from '../../../shared/ports/records.ts';
import type { OpenWorld } from '../../../shared/simulation/create-world.ts';
import { listParts, listPools } from '../cluster/create-cluster.ts';
import type { History } from '../model/history.ts';
import type { ViolationLog } from './violations.ts';

const VOLUNTARY: readonly unknown[] = ['Underutilized', 'Empty', 'Drifted'];

const PROGRESS: readonly (keyof ClaimProgress)[] = [
  'registeredAt',
  'initializedAt',
  'deletingAt',
  'drainingAt',
  'drainedAt',
  'terminatingAt',
  'terminatedAt',
];

export interface WatchedRecords {
  readonly nodeClaims: NodeClaims;
  readonly commands: Commands;
  /** All records, by claim name, terminated ones included. */
  readonly claims: ReadonlyMap<string, NodeClaim>;
}

/** Checks each record of a claim when it is stored. */
export function watchRecords(
  history: History,
  { world, api }: OpenWorld,
  log: ViolationLog,
): WatchedRecords {
  const { nodeClaims, commands } = world.ports;
  const claims = new Map<string, NodeClaim>();
  const running = new Map<string, DisruptionCommand>();
  const budgets = new Map(listPools(history).map(({ name, budget }) => [name, budget]));
  const [caps] = listParts(history, 'launch-caps');
  const isSkewed = listParts(history, 'clock-skew').length > 0;

  function check(before: NodeClaim | undefined, after: NodeClaim): void {
    if (before && before.terminatedAt === undefined) checkProgress(before, after);
    if (after.launch && after.terminatedAt === undefined) checkInstance(after);
    if (after.deletingAt !== undefined && before?.deletingAt === undefined) checkBudget(after);
    // An adopted node was launched by another tool, which knows no caps.
    if (caps && after.launch && !before?.launch && after.decision !== 'adopted') {
      checkPrice(caps.hourlyUsd);
      // Clocks that differ count the same minute differently.
      if (!isSkewed) checkLaunchRate(after, caps.launchesPerMinute);
    }
  }

  function checkProgress(before: NodeClaim, after: NodeClaim): void {
    const reset = PROGRESS.find((key) => before[key] !== undefined && before[key] !== after[key]);
    if (reset) log.report('record-went-back', `${after.name}: ${reset} has changed`);
    const { providerId } = before.launch ?? {};
    if (providerId !== undefined && providerId !== after.launch?.providerId)
      log.report('record-went-back', `${after.name} has lost the instance ${providerId}`);
  }

  function checkInstance({ name, launch }: NodeClaim): void {
    for (const other of claims.values()) {
      if (other.name === name || other.terminatedAt !== undefined) continue;
      if (other.launch?.providerId === launch?.providerId)
        log.report('instance-claimed-twice', `${launch?.providerId}: ${name} and ${other.name}`);
    }
  }

  /** A claim whose Node is gone has no pods left, and waits for nothing but its next check. */
  function checkBudget({ pool, removal, name }: NodeClaim): void {
    if (!VOLUNTARY.includes(removal)) return;
    const nodes = new Set(api.nodes.list().map(({ providerId }) => providerId));
    const leaving = [...claims.values()].filter(
      (claim) =>
        claim.pool === pool &&
        claim.name !== name &&
        claim.deletingAt !== undefined &&
        claim.terminatingAt === undefined &&
        claim.terminatedAt === undefined &&
        nodes.has(claim.launch?.providerId) &&
        VOLUNTARY.includes(claim.removal),
    );
    const allowed = budgets.get(pool) ?? Number.POSITIVE_INFINITY;
    if (leaving.length + 1 > allowed) {
      const names = [name, ...leaving.map((claim) => claim.name)].join(', ');
      log.report('disruption-budget', `${pool} allows ${allowed}, but ${names} leave`);
    }
  }

  /** Nodes that are being replaced do not count, because they go once the new ones run. */
  function checkPrice(limit: number): void {
    const leaving = new Set([...running.values()].flatMap(({ candidates }) => candidates));
    const counted = [...claims.values()].filter(
      ({ name, deletingAt }) => deletingAt === undefined && !leaving.has(name),
    );
    const spentUsd = counted.reduce((sum, { launch }) => sum + (launch?.hourlyUsd ?? 0), 0);
    if (spentUsd > limit + 1e-9)
      log.report('price-cap', `${spentUsd.toFixed(2)} USD per hour, but ${limit} are allowed`);
  }

  function checkLaunchRate({ createdAt }: NodeClaim, limit: number): void {
    const launched = [...claims.values()].filter((claim) => claim.launch);
    const close = launched.filter(
      (claim) => claim.decision !== 'adopted' && Math.abs(claim.createdAt - createdAt) < MINUTE_MS,
    );
    for (const { createdAt: start } of close) {
      const count = close.filter(
        (claim) => claim.createdAt >= start && claim.createdAt < start + MINUTE_MS,
      ).length;
      if (count > limit) {
        log.report('launch-cap', `${count} launches in a minute, but ${limit} are allowed`);
        return;
      }
    }
  }

  return {
    claims,
    commands: {
      ...commands,
      async add(command) {
        if (command.validatedAt !== undefined) running.set(command.id, command);
        await commands.add(command);
      },
      async remove(id) {
        running.delete(id);
        await commands.remove(id);
      },
    },
    nodeClaims: {
      ...nodeClaims,
      async save(claim, expectedVersion) {
        await nodeClaims.save(claim, expectedVersion);
        const before = claims.get(claim.name);
        claims.set(claim.name, claim);
        check(before, claim);
      },
    },
  };
}
