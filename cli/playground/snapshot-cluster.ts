import { resolve } from 'node:path';
import type { ClusterManifests } from '../../shared/api/manifests/cluster-manifests.ts';
import { dispatch } from '../../shared/controllers/dispatch.ts';
import { deduplicateEvents } from '../../shared/controllers/support/deduplicate-events.ts';
import { readOwnDeletionCost } from '../../shared/disruption/surplus/pod-deletion-costs.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { isManagedNode } from '../../shared/model/nodes/node.ts';
import { ownValue } from '../../shared/model/own-value.ts';
import type { DisruptionCommand } from '../../shared/model/plans.ts';
import type { Pod } from '../../shared/model/pods/pod.ts';
import { type Storage, toClaimKey } from '../../shared/model/pods/storage.ts';
import type { Workload } from '../../shared/model/pods/workload.ts';
import { formatInstant } from '../../shared/model/time.ts';
import type { ReadDecision } from '../../shared/record/read-decision.ts';
import { workloadKey } from '../../shared/simulation/control-plane/api-server.ts';
import { createOpenWorld } from '../../shared/simulation/create-world.ts';
import { restoreCluster } from '../../shared/simulation/restore/restore-cluster.ts';
import { type RestoredWorkloads, restoreWorkloads } from '../../shared/simulation/restore/restore-workloads.ts';
import { createSnapshotCatalogue } from '../../shared/simulation/restore/snapshot-catalogue.ts';
import { ownerReferenceOf } from '../../shared/simulation/workloads/workload-owner.ts';
import { changePools, listNodeClasses } from '../../shared/what-if/change-pools.ts';
import { fail } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { listSkippedWarnings, readClusterManifests } from '../manifests/cluster-manifests.ts';
import { listClassWarnings } from '../record/class-warnings.ts';
import { openSnapshotFile } from '../record/open-snapshot-file.ts';
import { counted } from '../render/numbers.ts';
import { readCliLaunchCaps } from '../settings/launch-caps.ts';
import { mayRankPods, readCliDecisionSettings } from '../settings/read-settings.ts';
import { createExtraCapacity } from './extra-capacity.ts';
import { SIMULATED_LAUNCH_CAPS } from './simulated-cluster.ts';
import type { SimulationStart } from './simulation-start.ts';

export interface SnapshotStart {
  /** A snapshot file. */
  readonly file: string;
  /** Manifests that are added to it. */
  readonly paths: readonly string[];
  readonly recursive: boolean;
  readonly seed: number;
}

/**
 * Continues from the last decision of a snapshot file: its nodes, pods, NodePools, prices and
 * settings. NodePools and workloads of manifests replace those of the same name, others are added.
 *
 * @throws CliError - `file-unreadable`, `snapshot-version`, `not-found`, `missing-reference`; those
 *   of `readClusterManifests`
 */
export async function startFromSnapshot(
  { file, paths, recursive, seed }: SnapshotStart,
  { io, detail }: Pick<Invocation, 'io' | 'detail'>,
): Promise<SimulationStart> {
  const { cluster, decisions } = await openSnapshotFile(resolve(io.cwd, file), file);
  const last = findLast(decisions, file);
  const presentClasses = listNodeClasses(last.input.snapshot);
  const added = paths.length > 0 ? await readClusterManifests(paths, { recursive, io, presentClasses }) : undefined;
  const snapshot = added ? changePools(last.input.snapshot, added) : last.input.snapshot;
  refuseGaps(snapshot, file);
  const restored = restoreWorkloads(snapshot, seed);
  detail(`restored ${snapshot.nodes.length} nodes, ${snapshot.pods.length} pods of ${cluster}`);

  const { workloads, ...manifests } = toManifests(snapshot, added);
  const replaced = new Set(workloads.map(workloadKey));
  const startsAt = snapshot.takenAt;
  const settings = snapshot.settings ?? readCliDecisionSettings(io.env);
  const catalogue = createSnapshotCatalogue(snapshot);
  const extraCapacity = createExtraCapacity(manifests, catalogue, settings);
  const open = createOpenWorld({
    seed,
    startAt: startsAt,
    catalogue,
    manifests: { ...manifests, workloads: [] },
    options: {
      ...(snapshot.buffers && { buffers: snapshot.buffers }),
      ...(extraCapacity && { extraCapacity }),
      // Costs that pods have show that the right to patch them was given.
      mayRankPods: mayRankPods(io.env) || snapshot.pods.some((pod) => readOwnDeletionCost(pod) !== 0),
    },
  });
  await restoreCluster(open, {
    snapshot,
    pods: dropPendingPods(restored.pods, workloads, seed),
    workloads: [...restored.workloads.filter((one) => !replaced.has(workloadKey(one))), ...workloads],
    running: listRunning(last),
  });
  const { world } = open;
  const ports = {
    ...world.ports,
    settings,
    launchCaps: readCliLaunchCaps(io.env, SIMULATED_LAUNCH_CAPS),
    decisionLog: deduplicateEvents(world.ports.decisionLog),
  };
  world.consume((hint) => dispatch(ports, hint));
  return {
    world,
    settings,
    startsAt,
    source: { cluster, file, files: paths, decision: last.id, at: formatInstant(startsAt) },
    isPriced: !snapshot.unpriced,
    prices: `of ${formatInstant(startsAt)} in the snapshot; later spot prices are modelled`,
    warnings: [
      ...listSnapshotGaps(snapshot, restored),
      ...(added ? [...listSkippedWarnings(added), ...listClassWarnings(added, last.input.snapshot)] : []),
    ],
  };
}

/**
 * Drops the pods of written workloads that wait: their controllers create others from the written template, as in
 * a rollout. Pods that run stay.
 */
function dropPendingPods(pods: readonly Pod[], written: readonly Workload[], seed: number): readonly Pod[] {
  const uids = new Set(written.map((workload) => ownerReferenceOf(seed, workload).uid));
  return pods.filter(({ owner, nodeName }) => nodeName !== undefined || !owner || !uids.has(owner.uid));
}

/** Confirmations see a part of the cluster only. */
function findLast(decisions: readonly ReadDecision[], file: string): ReadDecision {
  const last = decisions.findLast(({ kind }) => kind !== 'confirmation');
  if (last) return last;
  throw fail({
    code: 'not-found',
    what: 'the file has no decisions, so it has no cluster to continue from',
    where: file,
    fix: '`mortise snapshot` writes a file of a cluster that has NodePools',
  });
}

const listRunning = ({ input }: ReadDecision): readonly DisruptionCommand[] =>
  input.kind === 'disruption' ? input.running : [];

/** The objects of the snapshot that never change, with those of the manifests. */
function toManifests(snapshot: ClusterSnapshot, added: ClusterManifests | undefined): ClusterManifests {
  const { pools, podDisruptionBudgets, services, overlays, storage, namespaces } = snapshot;
  const all = <T>(of: readonly T[] | undefined, more: readonly T[] | undefined): readonly T[] => [
    ...(of ?? []),
    ...(more ?? []),
  ];
  const volumes = mergeStorage(storage, added?.storage);
  return {
    pools,
    nodeClasses: [],
    workloads: added?.workloads ?? [],
    pods: added?.pods ?? [],
    podDisruptionBudgets: all(podDisruptionBudgets, added?.podDisruptionBudgets),
    services: all(services, added?.services),
    overlays: all(overlays, added?.overlays),
    buffers: added?.buffers ?? [],
    ...(volumes && { storage: volumes }),
    namespaces: { ...namespaces, ...added?.namespaces },
    skipped: added?.skipped ?? [],
  };
}

/** Objects of the manifests replace those of the same name. */
function mergeStorage(of: Storage | undefined, added: Storage | undefined): Storage | undefined {
  if (!of || !added) return added ?? of;
  const merge = <T>(before: readonly T[], more: readonly T[], keyOf: (one: T) => string) => [
    ...new Map([...before, ...more].map((one) => [keyOf(one), one])).values(),
  ];
  const nameOf = ({ name }: { readonly name: string }): string => name;
  return {
    claims: merge(of.claims, added.claims, toClaimKey),
    volumes: merge(of.volumes, added.volumes, nameOf),
    classes: merge(of.classes, added.classes, nameOf),
    drivers: of.drivers,
  };
}

/**
 * Refuses a snapshot from which no simulation can continue.
 *
 * @throws CliError - `not-found`: NodePools or NodeClaims are missing; `missing-reference`: the types
 *   of a NodePool are
 */
function refuseGaps(snapshot: ClusterSnapshot, file: string): void {
  const { pools, nodes, claims, instanceTypes } = snapshot;
  if (pools.length === 0) {
    throw fail({
      code: 'not-found',
      what: 'the snapshot has no NodePool, so nothing could be launched',
      where: file,
      fix: '-f with a NodePool, or a snapshot of a cluster that has one',
    });
  }
  const priced = pools.filter(({ name }) => (ownValue(instanceTypes, name) ?? []).length > 0);
  const unpriced = pools.find((pool) => !priced.includes(pool));
  if (unpriced) {
    const classes = [...new Set(priced.map(({ nodeClass }) => nodeClass.name))];
    throw fail({
      code: 'missing-reference',
      what: `the snapshot has no instance types for EC2NodeClass ${unpriced.nodeClass.name}`,
      where: `${file}, NodePool ${unpriced.name}, spec.template.spec.nodeClassRef`,
      why: 'types and prices come from the snapshot, for the NodeClasses that were ready then',
      fix:
        classes.length > 0
          ? `a NodeClass that it has: ${classes.join(', ')}`
          : 'take a snapshot when the NodeClass is Ready',
    });
  }
  const claimed = new Set(claims.map(({ nodeName }) => nodeName));
  const orphan = nodes.find((node) => isManagedNode(node) && !claimed.has(node.name));
  if (!orphan) return;
  throw fail({
    code: 'not-found',
    what: `the snapshot has no NodeClaim of node ${orphan.name}`,
    where: file,
    why: 'its price and its NodePool are unknown without it',
    fix: 'take a snapshot when the node has its NodeClaim',
  });
}

/** Lists what the snapshot lacks, and what is assumed instead. */
function listSnapshotGaps(
  snapshot: ClusterSnapshot,
  { otherOwners, hasJobs }: Pick<RestoredWorkloads, 'otherOwners' | 'hasJobs'>,
): readonly string[] {
  const { nodes, claims, offerings, devices, unreadable = [] } = snapshot;
  const foreign = nodes.filter((node) => !isManagedNode(node)).length;
  const starting = claims.filter(({ launch }) => !launch).length;
  const reserved = offerings.some(({ capacityType }) => capacityType === 'reserved');
  return [
    ...unreadable.map(({ kind, name, why }) => `${kind} ${name} is missing: ${why}`),
    ...(foreign > 0
      ? [
          foreign === 1
            ? '1 node belongs to no NodePool: it stays, and its cost is not counted'
            : `${foreign} nodes belong to no NodePool: they stay, and their cost is not counted`,
        ]
      : []),
    ...(starting > 0 ? [`${counted(starting, 'NodeClaim')} without an instance: the pods are planned again`] : []),
    ...(hasJobs ? ['a snapshot does not say when a Job ends: their pods run to the end'] : []),
    ...(otherOwners.length > 0 ? [`pods of ${otherOwners.join(', ')} are not replaced when they are evicted`] : []),
    ...(reserved ? ['reserved capacity is not simulated: no new node uses it'] : []),
    ...(devices ? ['devices are not simulated: pods with device claims are not planned'] : []),
  ];
}
