import { classMarks } from '../../api/drift.ts';
import { NODECLASS_HASH_ANNOTATION, NODECLASS_HASH_VERSION_ANNOTATION } from '../../model/labels.ts';
import type { NodeClassChange, NodeClassObject } from '../../ports/node-classes.ts';

/** Finalizer of every class that we look after: what we made for it goes before it does. */
export const NODE_CLASS_FINALIZER = 'karpenter.k8s.aws/termination';

/**
 * Finalizer and hash, where they are not there already. Absent: nothing is missing.
 *
 * @param certificateAuthority - of the cluster: nodes are made by it as well
 */
export function missingMarks(
  object: NodeClassObject,
  certificateAuthority: string,
): NodeClassChange | undefined {
  const { name, annotations, finalizers, spec } = object;
  const marks =
    spec.outcome === 'read' ? classMarks(name, spec.written, certificateAuthority) : undefined;
  const isHashed =
    !marks ||
    (annotations[NODECLASS_HASH_ANNOTATION] === marks.hash &&
      annotations[NODECLASS_HASH_VERSION_ANNOTATION] === marks.version);
  if (isHashed && finalizers.includes(NODE_CLASS_FINALIZER)) return undefined;
  return {
    finalizers: [...new Set([...finalizers, NODE_CLASS_FINALIZER])],
    ...(marks && {
      annotations: {
        [NODECLASS_HASH_ANNOTATION]: marks.hash,
        [NODECLASS_HASH_VERSION_ANNOTATION]: marks.version,
      },
    }),
  };
}
