import { isOurClass } from '../../api/node-class-ref.ts';
import { nodePoolSchema } from '../../api/node-pool.ts';
import { readNodePool as readWritten } from '../../api/read-node-pool.ts';
import type { NodePool } from '../../model/node-pool.ts';
import { type LiveReading, readLive } from './live-object.ts';
import type { NodeClassHealth } from './read-node-class.ts';

/** Absent for a pool of somebody else's classes: it is none of ours. */
export const readNodePool = (raw: unknown): LiveReading<NodePool | undefined> =>
  readLive('NodePool', nodePoolSchema, raw, (written) => ({
    outcome: 'read',
    value: isOurClass(written.spec.template.spec.nodeClassRef)
      ? readWritten(written.metadata.name ?? '', written)
      : undefined,
  }));

/** The pool, ready only if its class is as well; what its own text got wrong comes first. */
export function withClassHealth(
  pool: NodePool,
  classes: ReadonlyMap<string, NodeClassHealth>,
): NodePool {
  if (!pool.ready) return pool;
  const nodeClass = classes.get(pool.nodeClass.name);
  const notReady = nodeClass ? nodeClass.notReady : notFound(pool.nodeClass.name);
  return notReady ? { ...pool, ready: false, notReady } : pool;
}

const notFound = (name: string): NonNullable<NodePool['notReady']> => ({
  condition: 'NodeClassNotFound',
  message: `there is no EC2NodeClass ${name}`,
});
