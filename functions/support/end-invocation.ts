import type { MiddlewareObj } from '@middy/core';
import type { Ports } from '../../shared/ports/ports.ts';

/**
 * Waits after each invocation, successful or not, for events that are still being sent, and closes
 * watches: Lambda freezes the process when the handler has returned.
 */
export function endInvocation({
  decisionLog,
  cluster,
}: Pick<Ports, 'decisionLog' | 'cluster'>): MiddlewareObj<unknown, unknown> {
  const end = async (): Promise<void> => {
    await decisionLog.flush?.();
    cluster.suspend?.();
  };
  return { after: end, onError: end };
}
