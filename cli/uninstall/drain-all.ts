import { adoptInstances } from '../../shared/controllers/node-claim/adoption.ts';
import { reconcileNodeClaim } from '../../shared/controllers/node-claim/reconcile.ts';
import { deleteClaim } from '../../shared/controllers/support/claim-writes.ts';
import { requireReadable } from '../../shared/controllers/support/unreadable-records.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import { SECOND_MS } from '../../shared/model/time.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import { createHintQueue } from '../controller/hint-queue.ts';
import { pause } from '../signals.ts';
import type { Progress } from '../terminal/progress.ts';

export interface DrainOptions {
  readonly progress: Progress;
  readonly stop: AbortSignal;
  readonly timeoutMs: number;
  /** Called if a step failed; it is retried. */
  readonly trouble: (claim: string, error: unknown) => void;
}

/** Interval for counting the remaining claims and for retrying those that no event triggered. */
const LOOK_EVERY_MS = 2 * SECOND_MS;

/**
 * Drains and terminates every node through the lifecycle of its claim, without planning new ones.
 *
 * @returns the remaining claims; empty if all are gone
 */
export async function drainAll(
  runtimePorts: Omit<Ports, 'queue'>,
  { progress, stop, timeoutMs, trouble }: DrainOptions,
): Promise<readonly NodeClaim[]> {
  const { clock, nodeClaims } = runtimePorts;
  const queue = createHintQueue({
    clock,
    // Plan hints are ignored while everything is drained.
    work: async (hint) => (hint.topic === 'claim' ? reconcileNodeClaim(ports, hint.claim) : undefined),
    observer: {
      started: () => {},
      worked(hint, _, error) {
        if (error !== undefined && hint.topic === 'claim') trouble(hint.claim, error);
      },
    },
  });
  const ports: Ports = { ...runtimePorts, queue };
  const until = clock.now() + timeoutMs;
  await adoptUnrecorded(ports);
  queue.start();

  let initialCount = 0;
  for (;;) {
    const stored = await nodeClaims.list();
    requireReadable('Claim', stored);
    const remaining = stored.records.map(({ claim }) => claim);
    initialCount = Math.max(initialCount, remaining.length);
    if (remaining.length === 0 || stop.aborted || clock.now() >= until) {
      await queue.pause();
      return remaining;
    }
    progress.report(
      `draining: ${initialCount - remaining.length} of ${initialCount} nodes gone`,
      1 - remaining.length / initialCount,
    );
    for (const claim of remaining) {
      // A claim that another process created a moment ago.
      if (claim.deletingAt === undefined) await remove(ports, claim);
      await queue.send({ topic: 'claim', claim: claim.name });
    }
    await pause(LOOK_EVERY_MS, stop);
  }
}

/**
 * A stack that was deployed a moment ago adopts the nodes that run already once their EC2NodeClass is
 * resolved. After the decisions have stopped, it could not.
 */
export async function awaitRecords(
  ports: Pick<Ports, 'cloud' | 'clock' | 'nodeClaims'>,
  { progress, stop, timeoutMs }: Omit<DrainOptions, 'trouble'>,
): Promise<void> {
  const until = ports.clock.now() + timeoutMs;
  for (;;) {
    const { length: count } = await listUnrecorded(ports);
    if (count === 0 || stop.aborted || ports.clock.now() >= until) return;
    progress.report(`waiting until the stack has records of all nodes (${count} missing)`);
    await pause(LOOK_EVERY_MS, stop);
  }
}

async function listUnrecorded({ cloud, nodeClaims }: Pick<Ports, 'cloud' | 'nodeClaims'>) {
  const instances = await cloud.instances();
  const stored = await nodeClaims.list();
  requireReadable('Claim', stored);
  const recorded = new Set(stored.records.map(({ claim }) => claim.launch?.providerId));
  return instances.filter(({ providerId }) => !recorded.has(providerId));
}

/** Adopts the instances of ours that still have no record. All other processes stand by by now. */
async function adoptUnrecorded(ports: Ports): Promise<void> {
  const unrecorded = await listUnrecorded(ports);
  if (unrecorded.length === 0) return;
  const objects = await ports.cluster.observe();
  const lost = unrecorded.map((instance) => {
    const isOfInstance = ({ providerId }: { readonly providerId?: string }): boolean =>
      providerId === instance.providerId;
    const object = objects.nodeClaims.find(isOfInstance);
    const node = objects.nodes.find(isOfInstance);
    return { instance, ...(object && { object }), ...(node && { node }) };
  });
  await adoptInstances(ports, lost, objects);
}

const remove = (ports: Ports, { name }: NodeClaim): Promise<boolean> =>
  deleteClaim(ports, name, { removal: 'Requested', at: ports.clock.now() });
