import type { Node } from '../model/nodes/node.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { NodePool } from '../model/nodes/node-pool.ts';
import type { NodePoolStatus, PoolCondition } from '../model/nodes/reported-status.ts';
import { DISRUPTED_TAINT, isSameTaint } from '../model/requirements/taints.ts';
import { addResources, NODES, type Resources } from '../model/resources.ts';

/** @see Karpenter: half of the last four */
const UNHEALTHY_FAILURES = 2;

/** Shown with 0 where there is none of it: kubectl's columns and dashboards read them. */
const ALWAYS_SHOWN: Resources = { cpu: 0, memory: 0, pods: 0, 'ephemeral-storage': 0 };

/**
 * Sums up each pool's nodes, those on their way out left out, and judges whether it can be used.
 *
 * @param failures - by pool, how often in a row its nodes did not join
 */
export function computePoolStatuses(
  pools: readonly NodePool[],
  claims: readonly NodeClaim[],
  nodes: readonly Node[],
  failures: ReadonlyMap<string, number>,
): readonly NodePoolStatus[] {
  const byProviderId = new Map(nodes.map((node) => [node.providerId ?? '', node]));
  const nodeOf = ({ launch }: NodeClaim): Node | undefined =>
    launch && byProviderId.get(launch.providerId);
  const staying = claims.filter(
    (claim) => claim.launch && claim.deletingAt === undefined && !isLeaving(nodeOf(claim)),
  );
  const byPool = Map.groupBy(staying, ({ pool }) => pool);

  return pools.map((pool) => {
    const own = byPool.get(pool.name) ?? [];
    const capacities = own.map((claim) => computeCapacity(claim, nodeOf(claim)));
    return {
      pool: pool.name,
      uid: pool.uid,
      hash: pool.hash,
      resources: addResources(ALWAYS_SHOWN, ...capacities, { [NODES]: own.length }),
      nodes: own.length,
      conditions: [
        ...buildConditions(pool),
        buildRegistrationCondition(own, failures.get(pool.name) ?? 0),
      ],
    };
  });
}

const isLeaving = (node: Node | undefined): boolean =>
  node !== undefined &&
  (node.deletionAt !== undefined ||
    node.taints.some((taint) => isSameTaint(taint, DISRUPTED_TAINT)));

/** A young kubelet has not found all of its devices yet: until then what EC2 promised counts. */
const computeCapacity = ({ launch, initializedAt }: NodeClaim, node: Node | undefined): Resources =>
  (initializedAt === undefined ? undefined : node?.capacity) ?? launch?.capacity ?? {};

function buildConditions(pool: NodePool): readonly PoolCondition[] {
  const dependents = [buildValidationCondition(pool), buildClassCondition(pool)];
  return [...dependents, buildReadyCondition(dependents)];
}

/** For information: a pool that fails is tried less often, and can be used all the same. */
function buildRegistrationCondition(own: readonly NodeClaim[], failures: number): PoolCondition {
  const type = 'NodeRegistrationHealthy';
  if (failures >= UNHEALTHY_FAILURES) {
    const message = `nodes did not join, ${failures} times in a row`;
    return { type, status: 'False', reason: 'RegistrationFailed', message };
  }
  if (own.some(({ registeredAt }) => registeredAt !== undefined)) return trueCondition(type);
  return { type, status: 'Unknown', reason: 'AwaitingReconciliation', message: '' };
}

const isInvalid = ({ notReady }: NodePool): boolean =>
  notReady?.condition === 'ValidationSucceeded';

const buildValidationCondition = (pool: NodePool): PoolCondition =>
  isInvalid(pool)
    ? {
        type: 'ValidationSucceeded',
        status: 'False',
        reason: 'NodePoolValidationFailed',
        message: pool.notReady?.message ?? '',
      }
    : trueCondition('ValidationSucceeded');

/** Of a pool that is not valid nobody asked. */
function buildClassCondition(pool: NodePool): PoolCondition {
  const type = 'NodeClassReady';
  if (isInvalid(pool)) {
    return { type, status: 'Unknown', reason: 'AwaitingReconciliation', message: '' };
  }
  // A plan calls a pool not ready that rests after failures: its class is none the worse.
  if (!pool.notReady || pool.notReady.condition === 'NodeRegistrationHealthy')
    return trueCondition(type);
  const { condition, message } = pool.notReady;
  return { type, status: 'False', reason: condition, message };
}

const trueCondition = (type: PoolCondition['type']): PoolCondition => ({
  type,
  status: 'True',
  reason: type,
  message: '',
});

function buildReadyCondition(dependents: readonly PoolCondition[]): PoolCondition {
  const offenders = dependents.filter(({ status }) => status !== 'True');
  if (offenders.length === 0) return trueCondition('Ready');
  const isUnhealthy = offenders.some(({ status }) => status === 'False');
  return {
    type: 'Ready',
    status: isUnhealthy ? 'False' : 'Unknown',
    reason: isUnhealthy ? 'UnhealthyDependents' : 'ReconcilingDependents',
    message: offenders.map(({ type, status }) => `${type}=${status}`).join(', '),
  };
}
