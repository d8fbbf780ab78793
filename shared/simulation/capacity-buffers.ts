import type { WrittenBuffer } from '../api/read-capacity-buffer.ts';
import type { CapacityBuffer } from '../model/capacity-buffer.ts';
import type { Workload } from '../model/workload.ts';

/** The buffers with the pods of their workloads, and how many of those are wanted now. */
export const resolveBuffers = (
  written: readonly WrittenBuffer[],
  workloads: readonly Workload[],
): readonly CapacityBuffer[] =>
  written.map(({ scalableRef, ...buffer }) => {
    const { namespace } = buffer;
    const workload = workloads.find(
      (one) =>
        one.namespace === namespace && one.name === scalableRef.name && isOfKind(one, scalableRef),
    );
    if (workload && 'replicas' in workload) {
      return { ...buffer, template: workload.template, scale: workload.replicas };
    }
    const message = `there is no ${scalableRef.kind} ${namespace}/${scalableRef.name}`;
    return { ...buffer, problem: { reason: 'ScalableRefNotFound', message } };
  });

/** Bare ReplicaSets are simulated as Deployments. */
const isOfKind = ({ kind }: Workload, ref: WrittenBuffer['scalableRef']): boolean =>
  kind === (ref.kind === 'ReplicaSet' ? 'Deployment' : ref.kind);
