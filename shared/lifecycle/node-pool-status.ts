import type { Node } from '../model/nodes/node.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { NodePool } from '../model/nodes/node-pool.ts';
import { computeHealthStatus, listResults, type RegistrationHealth } from '../model/nodes/registration-health.ts';
import type { NodePoolStatus, PoolCondition } from '../model/nodes/reported-status.ts';
import { DISRUPTED_TAINT, isSameTaint } from '../model/requirements/taints.ts';
import { addResources, NODES, type Resources } from '../model/resources.ts';

/** kubectl's columns and dashboards read these resources, so they are present even if 0. */
const ALWAYS_SHOWN: Resources = { cpu: 0, memory: 0, pods: 0, 'ephemeral-storage': 0 };

/**
 * Computes each pool's resources and conditions. Nodes that are being removed are not counted.
 *
 * @param healths - by pool, the results of its last nodes
 * @param refusals - by pool, why EC2 refused its last launches
 */
export function computePoolStatuses(
  pools: readonly NodePool[],
  claims: readonly NodeClaim[],
  nodes: readonly Node[],
  healths: ReadonlyMap<string, RegistrationHealth>,
  refusals: ReadonlyMap<string, string> = new Map(),
): readonly NodePoolStatus[] {
  const byProviderId = new Map(nodes.map((node) => [node.providerId ?? '', node]));
  const nodeOf = ({ launch }: NodeClaim): Node | undefined => launch && byProviderId.get(launch.providerId);
  const staying = claims.filter((claim) => claim.launch && claim.deletingAt === undefined && !isLeaving(nodeOf(claim)));
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
      ...(pool.nodeClassGeneration !== undefined && {
        nodeClassGeneration: pool.nodeClassGeneration,
      }),
      conditions: [
        ...buildConditions(pool),
        buildRegistrationCondition(pool, own, healths.get(pool.name)),
        ...buildLaunchCondition(refusals.get(pool.name)),
      ],
    };
  });
}

const isLeaving = (node: Node | undefined): boolean =>
  node !== undefined &&
  (node.deletionAt !== undefined || node.taints.some((taint) => isSameTaint(taint, DISRUPTED_TAINT)));

/** Before initialization the kubelet may not report all devices, so EC2's capacity counts. */
const computeCapacity = ({ launch, initializedAt }: NodeClaim, node: Node | undefined): Resources =>
  (initializedAt === undefined ? undefined : node?.capacity) ?? launch?.capacity ?? {};

function buildConditions(pool: NodePool): readonly PoolCondition[] {
  const dependents = [buildValidationCondition(pool), buildClassCondition(pool)];
  return [...dependents, buildReadyCondition(dependents)];
}

/** Informational: a failing pool is tried less often but stays usable. */
function buildRegistrationCondition(
  pool: NodePool,
  own: readonly NodeClaim[],
  health: RegistrationHealth | undefined,
): PoolCondition {
  const type = 'NodeRegistrationHealthy';
  const result = computeHealthStatus(listResults(health, pool));
  if (result.status === 'False') return { type, ...result };
  // Results are not known from before the first record, for example after a take-over.
  const isKnown = health || own.every(({ registeredAt }) => registeredAt === undefined);
  if (result.status === 'True' || !isKnown) return trueCondition(type);
  return { type, status: 'Unknown', reason: 'AwaitingReconciliation', message: '' };
}

/** Shown only while EC2 refuses. Informational, like the registration condition. */
const buildLaunchCondition = (refusal: string | undefined): readonly PoolCondition[] =>
  refusal === undefined
    ? []
    : [{ type: 'LaunchesAccepted', status: 'False', reason: 'LaunchesRefused', message: refusal }];

const isInvalid = ({ notReady }: NodePool): boolean => notReady?.condition === 'ValidationSucceeded';

const buildValidationCondition = (pool: NodePool): PoolCondition =>
  isInvalid(pool)
    ? {
        type: 'ValidationSucceeded',
        status: 'False',
        reason: 'NodePoolValidationFailed',
        message: pool.notReady?.message ?? '',
      }
    : trueCondition('ValidationSucceeded');

/** The class of an invalid pool is not evaluated. */
function buildClassCondition(pool: NodePool): PoolCondition {
  const type = 'NodeClassReady';
  if (isInvalid(pool)) {
    return { type, status: 'Unknown', reason: 'AwaitingReconciliation', message: '' };
  }
  // A pool in backoff after failures is marked not ready for plans; its class is still ready.
  if (!pool.notReady || pool.notReady.condition === 'NodeRegistrationHealthy') return trueCondition(type);
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
