import { classMarks } from '../../api/stored-objects/static-drift.ts';
import {
  NODECLASS_HASH_ANNOTATION,
  NODECLASS_HASH_VERSION_ANNOTATION,
} from '../../model/labels.ts';
import type { NodeClassChange, NodeClassObject } from '../../ports/node-classes.ts';
import type { ClassPorts, Ports } from '../../ports/ports.ts';

/** Finalizer of every class that we look after: what we made for it goes before it does. */
const NODE_CLASS_FINALIZER = 'karpenter.k8s.aws/termination';

/**
 * Finalizer and hash, where they are not there already. Absent: nothing is missing.
 *
 * @param certificateAuthority - of the cluster: nodes are made by it as well
 */
export function computeMissingMarks(
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

type FinalizerPorts = Pick<Ports, 'nodeClaims'> & { readonly classes: ClassPorts };

/**
 * Takes away what was made for a class and lets it go, once no claim is of it any more. Until then it
 * stays, and its nodes with it.
 */
export async function finalizeNodeClass(
  { classes, nodeClaims }: FinalizerPorts,
  object: NodeClassObject,
): Promise<void> {
  if (!object.finalizers.includes(NODE_CLASS_FINALIZER)) return;
  const claims = await nodeClaims.list();
  if (claims.some(({ claim }) => claim.nodeClass.name === object.name)) return;

  await classes.resources.release(object);
  await classes.records.remove(object.name);
  const finalizers = object.finalizers.filter((finalizer) => finalizer !== NODE_CLASS_FINALIZER);
  await classes.objects.change(object, { finalizers });
}
