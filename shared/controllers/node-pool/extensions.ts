import { planScaleDown } from '../../disruption/plan-scale-down.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { ExtensionCondition, ExtensionStatus } from '../../model/nodes/reported-status.ts';
import type { NodeOverlay } from '../../model/offerings/node-overlay.ts';
import { type CapacityBuffer, computeBufferReplicas } from '../../model/pods/capacity-buffer.ts';
import { podKey } from '../../model/pods/pod.ts';
import { DEFAULT_SETTINGS } from '../../model/settings.ts';
import type { ClusterObjects } from '../../ports/cluster.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import type { Ports } from '../../ports/ports.ts';
import { fillHeadroom } from '../../scheduling/assignment/buffer-headroom.ts';
import { evaluateOverlays } from '../../scheduling/instance-types/evaluate-overlays.ts';
import { createBufferPods } from '../../scheduling/pods/buffer-pods.ts';
import { areStaticNodesMissing, listStaticPools } from '../../scheduling/static-claims.ts';
import { isRunningCommand } from '../disruption/commands.ts';
import { observeCluster } from '../observe-cluster.ts';
import { deleteClaim } from '../support/claim-writes.ts';

/**
 * Handles what pods do not ask for: nodes of static pools, headroom of CapacityBuffers, and
 * NodeOverlays.
 */
export async function reconcileExtensions(
  ports: PortsOf<'sweep'>,
  objects: ClusterObjects,
  claims: readonly NodeClaim[],
): Promise<void> {
  const { pools, buffers = [], overlays = [] } = objects;
  const { settings = DEFAULT_SETTINGS } = ports;
  const hasStatic = listStaticPools({ pools, settings }).length > 0;
  if (!hasStatic && buffers.length + overlays.length === 0) return;

  const snapshot = await observeCluster(ports);
  await scaleDownStaticPools(ports, snapshot);
  await reportExtensions(ports, snapshot);
  const areStaticNodesLacking = areStaticNodesMissing({ ...snapshot, claims });
  if (areStaticNodesLacking || buffers.length > 0) await ports.queue.send({ topic: 'plan' });
}

/**
 * Ignores disruption budgets, because the user asked for fewer replicas. Drains still respect
 * PodDisruptionBudgets.
 */
async function scaleDownStaticPools(ports: PortsOf<'sweep'>, snapshot: ClusterSnapshot): Promise<void> {
  const at = ports.clock.now();
  const commands = await ports.commands.list();
  // Nodes under replacement would count as staying, so that other nodes were removed.
  if (commands.unreadable.length > 0) return;
  const running = commands.records.filter(isRunningCommand);
  const busy = new Set(running.flatMap(({ candidates }) => candidates));
  for (const claim of planScaleDown(snapshot, busy)) {
    await deleteClaim(ports, claim, { removal: 'Requested', at });
  }
}

/** Writes the status of NodeOverlays and CapacityBuffers if their feature gates are on. */
export async function reportExtensionStatus(ports: PortsOf<'sweep'>): Promise<void> {
  const { gates } = ports.settings ?? DEFAULT_SETTINGS;
  if (!gates.NodeOverlay && !gates.CapacityBuffer) return;
  await reportExtensions(ports, await observeCluster(ports, { isEventual: true }));
}

async function reportExtensions({ cluster }: Pick<Ports, 'cluster'>, snapshot: ClusterSnapshot): Promise<void> {
  const statuses = [...listOverlayStatuses(snapshot), ...listBufferStatuses(snapshot)];
  await Promise.all(statuses.map((status) => cluster.reportExtension(status)));
}

export function listOverlayStatuses(snapshot: ClusterSnapshot): readonly ExtensionStatus[] {
  const { overlays = [] } = snapshot;
  const { conflicts } = evaluateOverlays(overlays, snapshot);
  return overlays.map((overlay) => {
    const { name, uid, generation } = overlay;
    const validity = toValidity(overlay, conflicts.get(name));
    const conditions = [
      { type: 'ValidationSucceeded', ...validity },
      { type: 'Ready', ...validity },
    ];
    return { kind: 'NodeOverlay', name, uid, generation, conditions };
  });
}

type ConditionState = Omit<ExtensionCondition, 'type'>;

function toValidity({ fault, weight }: NodeOverlay, conflicting: string | undefined): ConditionState {
  if (fault !== undefined) return { status: 'False', reason: 'RuntimeValidation', message: fault };
  if (conflicting === undefined) {
    return { status: 'True', reason: 'ValidationSucceeded', message: 'applied' };
  }
  const message = `NodeOverlay ${conflicting} of the same weight ${weight} changes the same: not applied`;
  return { status: 'False', reason: 'Conflict', message };
}

export function listBufferStatuses(snapshot: ClusterSnapshot): readonly ExtensionStatus[] {
  const { buffers = [], takenAt } = snapshot;
  const placedPods = new Set([...fillHeadroom(snapshot).placed.values()].flat());
  return buffers.map((buffer) => {
    const { namespace, name, uid, generation, strategy, templateRef } = buffer;
    const pods = createBufferPods(buffer, takenAt);
    const missing = pods.filter((pod) => !placedPods.has(podKey(pod))).length;
    return {
      kind: 'CapacityBuffer',
      namespace,
      name,
      uid,
      generation,
      fields: {
        ...(templateRef && {
          podTemplateRef: { name: templateRef.name },
          podTemplateGeneration: templateRef.generation,
        }),
        replicas: computeBufferReplicas(buffer),
        provisioningStrategy: strategy,
      },
      conditions: [
        { type: 'ReadyForProvisioning', ...toReadiness(buffer) },
        { type: 'Provisioning', ...toProvisioningState(buffer, pods.length, missing) },
      ],
    };
  });
}

function toReadiness({ problem }: CapacityBuffer): ConditionState {
  if (problem) return { status: 'False', ...problem };
  return { status: 'True', reason: 'Resolved', message: 'its pods are known' };
}

function toProvisioningState({ problem }: CapacityBuffer, all: number, missing: number): ConditionState {
  if (problem) {
    const message = 'its pods are not known';
    return { status: 'False', reason: 'NotReadyForProvisioning', message };
  }
  if (all === 0) return { status: 'False', reason: 'BufferEmpty', message: 'it is for no pods' };
  if (missing > 0) {
    const message = `no room yet for ${missing} of ${all} pods`;
    return { status: 'False', reason: 'RequiresNewCapacity', message };
  }
  return {
    status: 'True',
    reason: 'FitsExistingCapacity',
    message: `room for ${all} pods is kept`,
  };
}
