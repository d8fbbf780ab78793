import type { CapacityBuffer } from '../../model/pods/capacity-buffer.ts';
import { toResources } from '../../model/quantity.ts';
import type { CapacityBufferSpec } from '../custom-resources/capacity-buffer.ts';

/** A CapacityBuffer as written. Its workload is looked up each time it is used. */
export interface WrittenBuffer extends Omit<CapacityBuffer, 'template' | 'templateRef' | 'scale' | 'problem'> {
  readonly scalableRef: { readonly kind: string; readonly name: string };
}

/** Returns `undefined` if the pods come from a PodTemplate, which is not read from files. */
export function readCapacityBuffer(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  spec: CapacityBufferSpec,
): WrittenBuffer | undefined {
  const { provisioningStrategy: strategy = '', replicas, percentage, limits, scalableRef } = spec;
  if (!scalableRef) return undefined;
  return {
    namespace,
    name,
    uid: `${namespace}/${name}`,
    generation: 1,
    strategy,
    scalableRef: { kind: scalableRef.kind, name: scalableRef.name },
    ...(replicas !== undefined && { replicas }),
    ...(percentage !== undefined && { percentage }),
    ...(limits !== undefined && { limits: toResources(limits) }),
  };
}
