import type { PriorityClass } from '../../api/builtin-resources/priority-class.ts';
import type { UnreadableObject } from '../../model/cluster-snapshot.ts';
import type { Labels } from '../../model/labels.ts';
import type { NodeClaimObject } from '../../model/nodes/node-claim-object.ts';
import type { NodeClassReadiness } from '../../model/nodes/node-class.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { Storage } from '../../model/pods/storage.ts';
import type { DaemonSet } from '../../model/pods/workload.ts';
import type { ClusterObjects } from '../../ports/cluster.ts';
import type { ObservedPod } from '../../ports/view-store.ts';
import { type LiveDaemonSet, readDaemonSet } from '../readers/read-daemon-set.ts';
import { withClassReadiness } from '../readers/read-node-pool.ts';
import { type LiveNamespace, listKindsExceptPods, type ObservedKinds } from './observed-kinds.ts';

/**
 * Builds an observation from the stores. A list stays identical until one of its objects changes.
 */
export function createObjectAssembler(kinds: ObservedKinds): () => ClusterObjects {
  const podsOf = memoizeLast((observed: readonly ObservedPod[]): readonly Pod[] => observed.map(({ pod }) => pod));
  const nodeClaimsOf = memoizeLast(omitForeignClaims);
  const poolsOf = memoizeLast(listPoolsWithReadiness);
  const daemonSetsOf = memoizeLast((live: readonly LiveDaemonSet[], classes: readonly PriorityClass[]) =>
    readDaemonSets(kinds, live, classes),
  );
  const namespacesOf = memoizeLast(labelsByName);
  const storageOf = memoizeLast(
    (
      claims: Storage['claims'],
      volumes: Storage['volumes'],
      classes: Storage['classes'],
      drivers: Storage['drivers'],
    ): Storage => ({ claims, volumes, classes, drivers }),
  );

  return () => {
    const daemonSets = daemonSetsOf(kinds.daemonSets.store.values(), kinds.priorityClasses.store.values());
    const unreadable = [
      ...listKindsExceptPods(kinds).flatMap(({ store }) => store.unreadable()),
      ...kinds.pods.store.unreadable(),
      ...daemonSets.unreadable,
    ];
    return {
      pods: podsOf(kinds.pods.store.values()),
      nodes: kinds.nodes.store.values(),
      nodeClaims: nodeClaimsOf(kinds.nodeClaims.store.values()),
      nodeClassReadiness: kinds.nodeClasses.store.values(),
      pools: poolsOf(kinds.pools.store.values(), kinds.nodeClasses.store.values()),
      daemonSets: daemonSets.read,
      podDisruptionBudgets: kinds.budgets.store.values(),
      namespaces: namespacesOf(kinds.namespaces.store.values()),
      storage: storageOf(
        kinds.volumeClaims.store.values(),
        kinds.volumes.store.values(),
        kinds.storageClasses.store.values(),
        kinds.nodeDrivers.store.values(),
      ),
      lastPodEventAt: kinds.podEvents.latest(),
      ...(unreadable.length > 0 && { unreadable }),
    };
  };
}

const omitForeignClaims = (claims: readonly (NodeClaimObject | undefined)[]): readonly NodeClaimObject[] =>
  claims.filter((claim) => claim !== undefined);

function listPoolsWithReadiness(
  pools: readonly (NodePool | undefined)[],
  nodeClasses: readonly NodeClassReadiness[],
): readonly NodePool[] {
  const health = new Map(nodeClasses.map((nodeClass) => [nodeClass.name, nodeClass]));
  return pools.filter((pool) => pool !== undefined).map((pool) => withClassReadiness(pool, health));
}

interface DaemonSets {
  readonly read: readonly DaemonSet[];
  readonly unreadable: readonly UnreadableObject[];
}

function readDaemonSets(
  { templates }: ObservedKinds,
  live: readonly LiveDaemonSet[],
  priorityClasses: readonly PriorityClass[],
): DaemonSets {
  const parsed = live.map((one) => readDaemonSet(templates, priorityClasses, one));
  return {
    read: parsed.flatMap((one) => (one.outcome === 'read' ? [one.value] : [])),
    unreadable: parsed.flatMap((one) => (one.outcome === 'unreadable' ? [one.object] : [])),
  };
}

const labelsByName = (namespaces: readonly LiveNamespace[]): Readonly<Record<string, Labels>> =>
  Object.fromEntries(namespaces.map(({ name, labels }) => [name, labels]));

/** Calls `compute` only if an argument differs from the previous call. */
function memoizeLast<Args extends readonly unknown[], Result>(
  compute: (...args: Args) => Result,
): (...args: Args) => Result {
  let last: { readonly args: Args; readonly result: Result } | undefined;
  return (...args) => {
    if (!last?.args.every((arg, index) => arg === args[index])) {
      last = { args, result: compute(...args) };
    }
    return last.result;
  };
}
