import { deleteClaim } from '../../shared/controllers/support/claim-writes.ts';
import { reconcileNodeClaim } from '../../shared/controllers/node-claim/reconcile.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import { SECOND_MS } from '../../shared/model/time.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import { createHintQueue } from '../controller/hint-queue.ts';
import { pause } from '../pause.ts';
import type { Progress } from '../progress.ts';

export interface DrainOptions {
  readonly progress: Progress;
  readonly stop: AbortSignal;
  readonly timeoutMs: number;
  /** A step failed: it is tried again. */
  readonly trouble: (claim: string, error: unknown) => void;
}

/** How often it is looked at what is left, and at those that events did not bring forward. */
const LOOK_EVERY_MS = 2 * SECOND_MS;

/**
 * Drains and ends every node, as its claim's lifecycle does, and plans no others.
 *
 * @returns the claims that are left; none: all is gone
 */
export async function drainAll(
  home: Omit<Ports, 'queue'>,
  { progress, stop, timeoutMs, trouble }: DrainOptions,
): Promise<readonly NodeClaim[]> {
  const { clock, nodeClaims } = home;
  const queue = createHintQueue({
    clock,
    // Who drains to the end has no use for plans.
    work: async (hint) =>
      hint.topic === 'claim' ? reconcileNodeClaim(ports, hint.claim) : undefined,
    observer: {
      started: () => {},
      worked(hint, _, error) {
        if (error !== undefined && hint.topic === 'claim') trouble(hint.claim, error);
      },
    },
  });
  const ports: Ports = { ...home, queue };
  const until = clock.now() + timeoutMs;
  queue.start();

  let most = 0;
  for (;;) {
    const left = (await nodeClaims.list()).map(({ claim }) => claim);
    most = Math.max(most, left.length);
    if (left.length === 0 || stop.aborted || clock.now() >= until) {
      await queue.pause();
      return left;
    }
    progress.report(
      `draining: ${most - left.length} of ${most} nodes gone`,
      1 - left.length / most,
    );
    for (const claim of left) {
      // Made a moment ago, by somebody who did not know yet.
      if (claim.deletingAt === undefined) await remove(ports, claim);
      await queue.send({ topic: 'claim', claim: claim.name });
    }
    await pause(LOOK_EVERY_MS, stop);
  }
}

const remove = (ports: Ports, { name }: NodeClaim): Promise<boolean> =>
  deleteClaim(ports, name, { removal: 'Requested', at: ports.clock.now() });
