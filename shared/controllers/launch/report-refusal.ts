import { withWait } from '../../lifecycle/claim-wait.ts';
import { type LaunchFailedError, StaleNodeClaimError } from '../../model/errors.ts';
import type { Ports } from '../../ports/ports.ts';
import { storeClaim } from '../support/claim-writes.ts';

type RefusalPorts = Pick<Ports, 'clock' | 'nodeClaims' | 'cluster' | 'decisionLog'>;

/**
 * Shows on claims why EC2 refuses their launch, and reports it if the reason is new. The launch is
 * retried.
 */
export async function reportRefusal(
  ports: RefusalPorts,
  names: readonly string[],
  refusal: LaunchFailedError,
): Promise<void> {
  const { reason, detail } = refusal;
  const changed = await Promise.all(names.map((name) => recordRefusal(ports, name, refusal)));
  const claim = names.find((_, index) => changed[index]);
  if (claim === undefined) return;
  await ports.decisionLog.recordEvent({
    kind: 'launch-refused',
    at: ports.clock.now(),
    claim,
    reason,
    text: detail,
  });
}

/**
 * @returns true if the claim showed another reason before
 */
async function recordRefusal(
  ports: RefusalPorts,
  name: string,
  { reason, detail }: LaunchFailedError,
): Promise<boolean> {
  const stored = await ports.nodeClaims.find(name);
  if (!stored || stored.claim.launch || stored.claim.deletingAt !== undefined) return false;
  const wait = { condition: 'Launched', status: 'Unknown', reason, message: detail } as const;
  const claim = withWait(stored.claim, wait, ports.clock.now());
  if (claim === stored.claim) return false;
  try {
    await storeClaim(ports, claim, stored.version);
    return true;
  } catch (error) {
    // The other writer's state is newer than the refusal.
    if (error instanceof StaleNodeClaimError) return false;
    throw error;
  }
}
