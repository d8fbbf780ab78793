import type { MiddlewareObj } from '@middy/core';
import type { Ports } from '../../shared/ports/ports.ts';

/**
 * Waits after each invocation, successful or not, for events that are still being sent: Lambda freezes
 * the process when the handler has returned.
 */
export function flushEvents({
  decisionLog,
}: Pick<Ports, 'decisionLog'>): MiddlewareObj<unknown, unknown> {
  const flush = async (): Promise<void> => {
    await decisionLog.flush?.();
  };
  return { after: flush, onError: flush };
}
