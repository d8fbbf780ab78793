import { bufferReplicas, type CapacityBuffer } from '../../model/capacity-buffer.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { ExtensionCondition, ExtensionStatus } from '../../model/extension-status.ts';
import type { NodeOverlay } from '../../model/node-overlay.ts';
import { podKey } from '../../model/pod.ts';
import type { Ports } from '../../ports/ports.ts';
import { podsOfBuffer } from '../../scheduling/pods/buffer-pods.ts';
import { headroomOf } from '../../scheduling/assignment/buffer-headroom.ts';
import { evaluateOverlays } from '../../scheduling/instance-types/evaluate-overlays.ts';

/** Shows on NodeOverlays and CapacityBuffers what has become of them. */
export async function reportExtensions(
  { cluster }: Pick<Ports, 'cluster'>,
  snapshot: ClusterSnapshot,
): Promise<void> {
  const statuses = [...overlayStatuses(snapshot), ...bufferStatuses(snapshot)];
  await Promise.all(statuses.map((status) => cluster.reportExtension(status)));
}

export function overlayStatuses(snapshot: ClusterSnapshot): readonly ExtensionStatus[] {
  const { overlays = [] } = snapshot;
  const { conflicts } = evaluateOverlays(overlays, snapshot);
  return overlays.map((overlay) => {
    const { name, uid, generation } = overlay;
    const validity = validityOf(overlay, conflicts.get(name));
    const conditions = [
      { type: 'ValidationSucceeded', ...validity },
      { type: 'Ready', ...validity },
    ];
    return { kind: 'NodeOverlay', name, uid, generation, conditions };
  });
}

type Verdict = Omit<ExtensionCondition, 'type'>;

function validityOf({ fault, weight }: NodeOverlay, rival: string | undefined): Verdict {
  if (fault !== undefined) return { status: 'False', reason: 'RuntimeValidation', message: fault };
  if (rival === undefined) {
    return { status: 'True', reason: 'ValidationSucceeded', message: 'applied' };
  }
  const message = `NodeOverlay ${rival} of the same weight ${weight} changes the same: not applied`;
  return { status: 'False', reason: 'Conflict', message };
}

export function bufferStatuses(snapshot: ClusterSnapshot): readonly ExtensionStatus[] {
  const { buffers = [], takenAt } = snapshot;
  const found = new Set([...headroomOf(snapshot).placed.values()].flat());
  return buffers.map((buffer) => {
    const { namespace, name, uid, generation, strategy, templateRef } = buffer;
    const pods = podsOfBuffer(buffer, takenAt);
    const missing = pods.filter((pod) => !found.has(podKey(pod))).length;
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
        replicas: bufferReplicas(buffer),
        provisioningStrategy: strategy,
      },
      conditions: [
        { type: 'ReadyForProvisioning', ...readiness(buffer) },
        { type: 'Provisioning', ...provisioning(buffer, pods.length, missing) },
      ],
    };
  });
}

function readiness({ problem }: CapacityBuffer): Verdict {
  if (problem) return { status: 'False', ...problem };
  return { status: 'True', reason: 'Resolved', message: 'its pods are known' };
}

function provisioning({ problem }: CapacityBuffer, all: number, missing: number): Verdict {
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
