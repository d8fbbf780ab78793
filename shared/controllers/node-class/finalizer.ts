import { computeClassHash } from '../../api/stored-objects/static-drift.ts';
import { NODECLASS_HASH_ANNOTATION, NODECLASS_HASH_VERSION_ANNOTATION } from '../../model/labels.ts';
import type { NodeClassChange, NodeClassObject } from '../../ports/node-classes.ts';
import type { ClassPorts, Ports } from '../../ports/ports.ts';

/** Keeps a class until its launch templates and instance profiles are removed. */
const NODE_CLASS_FINALIZER = 'karpenter.k8s.aws/termination';

/**
 * Computes the finalizer and hash annotations that the object lacks.
 *
 * @param certificateAuthority - the cluster's, which is part of the hash
 * @returns undefined if nothing is missing
 */
export function computeMissingMarks(
  object: NodeClassObject,
  certificateAuthority: string,
): NodeClassChange | undefined {
  const { name, annotations, finalizers, spec } = object;
  const marks = spec.outcome === 'read' ? computeClassHash(name, spec.written, certificateAuthority) : undefined;
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

type FinalizerPorts = Pick<Ports, 'nodeClaims' | 'decisionLog' | 'clock'> & {
  readonly classes: ClassPorts;
};

/**
 * Removes the AWS resources of a deleted class and then its finalizer, once no claim uses the
 * class.
 */
export async function finalizeNodeClass(
  { classes, nodeClaims, decisionLog, clock }: FinalizerPorts,
  object: NodeClassObject,
): Promise<void> {
  if (!object.finalizers.includes(NODE_CLASS_FINALIZER)) return;
  const claims = await nodeClaims.list();
  const using = [
    ...claims.records.flatMap(({ claim }) => (claim.nodeClass.name === object.name ? [claim.name] : [])),
    // A claim that cannot be read may use the class.
    ...claims.unreadable.map(({ name }) => name),
  ];
  if (using.length > 0) {
    const { name: nodeClass, uid } = object;
    await decisionLog.recordEvent({
      kind: 'class-in-use',
      at: clock.now(),
      nodeClass,
      uid,
      claims: using,
    });
    return;
  }

  await classes.resources.release(object);
  await classes.records.remove(object.name);
  const finalizers = object.finalizers.filter((finalizer) => finalizer !== NODE_CLASS_FINALIZER);
  await classes.objects.change(object, { finalizers });
}
