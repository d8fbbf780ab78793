import type { CapacityBuffer } from '../../model/pods/capacity-buffer.ts';
import { toResources } from '../../model/quantity.ts';
import type { CapacityBufferSpec } from '../custom-resources/capacity-buffer.ts';

/** A CapacityBuffer as it is written: its workload is looked up whenever somebody asks for it. */
export interface WrittenBuffer
  extends Omit<CapacityBuffer, 'template' | 'templateRef' | 'scale' | 'problem'> {
  readonly scalableRef: { readonly kind: string; readonly name: string };
}

/** Absent: its pods come from a PodTemplate, and those are not read from files. */
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
    ...(replicas === undefined ? {} : { replicas }),
    ...(percentage === undefined ? {} : { percentage }),
    ...(limits === undefined ? {} : { limits: toResources(limits) }),
  };
}
