import { readEC2NodeClass } from '../api/read-ec2-node-class.ts';
import type { NodeClassChange, NodeClassObject } from '../ports/node-class-objects.ts';

/** Finalizer of every class that we look after: what we made for it goes before it does. */
export const NODE_CLASS_FINALIZER = 'karpenter.k8s.aws/termination';

const HASH_ANNOTATION = 'karpenter.k8s.aws/ec2nodeclass-hash';
const HASH_VERSION_ANNOTATION = 'karpenter.k8s.aws/ec2nodeclass-hash-version';
/** One that Karpenter never uses, so that neither takes the other's hash for its own. */
const HASH_VERSION = 's1';

/** Finalizer and hash, where they are not there already. Absent: nothing is missing. */
export function missingMarks(object: NodeClassObject): NodeClassChange | undefined {
  const { annotations, finalizers } = object;
  const hash = hashOf(object);
  const isHashed =
    hash === undefined ||
    (annotations[HASH_ANNOTATION] === hash &&
      annotations[HASH_VERSION_ANNOTATION] === HASH_VERSION);
  if (isHashed && finalizers.includes(NODE_CLASS_FINALIZER)) return undefined;
  return {
    finalizers: [...new Set([...finalizers, NODE_CLASS_FINALIZER])],
    ...(hash !== undefined && {
      annotations: { [HASH_ANNOTATION]: hash, [HASH_VERSION_ANNOTATION]: HASH_VERSION },
    }),
  };
}

function hashOf({ name, spec }: NodeClassObject): string | undefined {
  if (spec.outcome !== 'read') return undefined;
  const reading = readEC2NodeClass(name, spec.written);
  return reading.outcome === 'read' ? reading.value.hash : undefined;
}
