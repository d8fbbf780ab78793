import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { NODE_CLASS_TERMINATING } from '../../model/nodes/node-class.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import { requestDisruption } from '../support/hints.ts';
import { nominate } from '../support/nominate.ts';
import { observeClaimObjects } from './observe-claim.ts';

/** Wakes the controllers that a step of the claim concerns. */
export async function sendFollowUpHints(
  ports: PortsOf<'nodeLifecycle'>,
  before: NodeClaim,
  after: NodeClaim,
): Promise<void> {
  const { queue } = ports;
  // Plan its pods while they still run, not when they are pending.
  if (isNewlyDeleting(before, after)) {
    await queue.send({ topic: 'plan' });
  }
  if (before.initializedAt === undefined && after.initializedAt !== undefined) {
    // Its pods bind within moments: the nomination keeps the node from counting as empty until
    // then.
    await nominate(ports, [after.name]);
    if (await isAwaitedByDisruption(ports, after)) await queue.send({ topic: 'disrupt' });
  }
  // The disruption budget may allow another node now. Each node that goes is a step of a rollout, or its end.
  if (after.terminatedAt === undefined) return;
  if (after.removal === 'Drifted') await queue.send({ topic: 'disrupt' });
  await requestDisruption(ports, after.terminatedAt);
  if (await isClassTerminating(ports, after)) await queue.send({ topic: 'class' });
}

/** An EC2NodeClass that is being deleted goes with its last claim. */
async function isClassTerminating(
  { cluster }: PortsOf<'nodeLifecycle'>,
  { name: claim, nodeClass }: NodeClaim,
): Promise<boolean> {
  const { nodeClassReadiness = [] } = await observeClaimObjects(cluster, { claim });
  return nodeClassReadiness.some(
    ({ name, notReady }) => name === nodeClass.name && notReady?.condition === NODE_CLASS_TERMINATING,
  );
}

/**
 * True if the next disruption run has something to do for the claim: it has drifted before, it may
 * be room of a CapacityBuffer, or a command waits for it, and until then two nodes are paid for.
 */
async function isAwaitedByDisruption(
  { commands, settings }: PortsOf<'nodeLifecycle'>,
  { name, drift }: NodeClaim,
): Promise<boolean> {
  if (drift || settings?.gates.CapacityBuffer) return true;
  const waiting = await commands.list();
  return waiting.records.some(({ replacements }) => replacements.some(({ claim }) => claim.name === name));
}

export const isNewlyDeleting = (before: NodeClaim, after: NodeClaim): boolean =>
  before.deletingAt === undefined && after.deletingAt !== undefined;
