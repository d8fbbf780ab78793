import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { Ports } from '../../ports/ports.ts';
import { extendBackoff } from './backoff.ts';

/**
 * Records whether a node of a pool registered, timed out, or lost its instance before. After a
 * timeout nothing is launched for the pool for a minute, then two, and so on up to an hour. The
 * first lost instance causes no delay: it may be an accident, and its pods wait.
 */
export async function recordRegistration(
  { poolBackoffs, clock }: Pick<Ports, 'poolBackoffs' | 'clock'>,
  before: NodeClaim,
  after: NodeClaim,
): Promise<void> {
  const joined = before.registeredAt === undefined && after.registeredAt !== undefined;
  const wasLost = before.removal === undefined && isLostBeforeRegistration(after);
  const failed = wasLost || (before.removal === undefined && after.removal === 'RegistrationTimeout');
  if (!joined && !failed) return;

  const existing = (await poolBackoffs.list('registration')).find(({ pool }) => pool === after.pool);
  if (joined && existing) await poolBackoffs.remove('registration', after.pool);
  if (failed) {
    await poolBackoffs.save(
      'registration',
      extendBackoff(existing, {
        pool: after.pool,
        at: clock.now(),
        launchedAt: after.createdAt,
        isFirstFree: wasLost,
      }),
    );
  }
}

/** An interruption that EC2 announces is no fault of the pool. */
const isLostBeforeRegistration = ({ registeredAt, removal, interruption }: NodeClaim): boolean =>
  registeredAt === undefined &&
  (removal === 'InstanceGone' || interruption === 'instance_terminated' || interruption === 'instance_stopped');
