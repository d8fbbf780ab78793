import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { DisruptionCommand } from '../../../shared/model/plans.ts';
import { type EpochMs, MINUTE_MS } from '../../../shared/model/time.ts';
import { listParts, listPools } from '../cluster/create-cluster.ts';
import type { History } from '../model/history.ts';
import type { ViolationLog } from './violations.ts';

/** A plan may be this old when its command takes effect. */
const MAX_PLAN_AGE_MS = 2 * MINUTE_MS;

interface OrderParts {
  readonly claims: ReadonlyMap<string, NodeClaim>;
  readonly running: ReadonlyMap<string, DisruptionCommand>;
  readonly log: ViolationLog;
  now(): EpochMs;
}

interface OrderCheck {
  /** Counts the nodes of a pool after a change of them. */
  count(pool: string): void;
  /** Checks a node that begins to leave. */
  checkRemoval(claim: NodeClaim): void;
}

/**
 * A drifted or unhealthy node of a static pool leaves after its replacement is initialized. It leaves before that
 * only if a gate allows it, and only from a pool that has as many nodes as its limit.
 */
export function createOrderCheck(history: History, { claims, running, log, now }: OrderParts): OrderCheck {
  const limits = new Map(
    listPools(history).flatMap(({ name, replicas, isFull }) =>
      replicas === undefined ? [] : [[name, isFull ? replicas : Number.POSITIVE_INFINITY] as const],
    ),
  );
  const allowed: Readonly<Partial<Record<DisruptionCommand['reason'], boolean>>> = {
    Drifted: listParts(history, 'terminate-first').length > 0,
    Unhealthy: listParts(history, 'node-repair').some(({ terminatesFirst }) => terminatesFirst),
  };
  const counts: { readonly at: EpochMs; readonly pool: string; readonly nodes: number }[] = [];

  const wasAtLimit = (pool: string, limit: number): boolean =>
    counts.some((count) => count.pool === pool && count.nodes >= limit && count.at >= now() - MAX_PLAN_AGE_MS) ||
    (counts.findLast((count) => count.pool === pool)?.nodes ?? 0) >= limit;

  return {
    count(pool) {
      const nodes = [...claims.values()].filter((one) => one.pool === pool && one.terminatedAt === undefined).length;
      if (limits.has(pool)) counts.push({ at: now(), pool, nodes });
    },
    checkRemoval({ name, pool, removal }) {
      const limit = limits.get(pool);
      const command = [...running.values()].find(({ candidates }) => candidates.includes(name));
      if (limit === undefined || !command || command.reason !== removal || !(removal in allowed)) return;
      if (command.terminatesFirst) {
        if (!allowed[command.reason]) log.report('terminate-first', `${name} leaves first, but no gate allows it`);
        if (!wasAtLimit(pool, limit)) log.report('terminate-first', `${name} leaves first, but ${pool} has room`);
        return;
      }
      const isInitialized = ({ claim }: DisruptionCommand['replacements'][number]): boolean => {
        const { initializedAt, reboots } = claims.get(claim.name) ?? {};
        // A reboot takes the initialization back.
        return initializedAt !== undefined || reboots !== undefined;
      };
      const isReplaced = command.replacements.length > 0 && command.replacements.every(isInitialized);
      if (!isReplaced && command.repair?.reboots !== true)
        log.report('terminate-first', `${name} leaves before its replacement runs`);
    },
  };
}
