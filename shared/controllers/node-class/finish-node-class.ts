import type { NodeClassObject } from '../../ports/node-classes.ts';
import type { ClassPorts, Ports } from '../../ports/ports.ts';
import { NODE_CLASS_FINALIZER } from './finalizer.ts';

type FinishPorts = Pick<Ports, 'nodeClaims'> & { readonly classes: ClassPorts };

/**
 * Takes away what was made for a class and lets it go, once no claim is of it any more. Until then it
 * stays, and its nodes with it.
 */
export async function finishNodeClass(
  { classes, nodeClaims }: FinishPorts,
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
