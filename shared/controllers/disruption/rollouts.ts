import { launchedVersion } from '../../disruption/image-version.ts';
import { isProven } from '../../disruption/rollout-guard.ts';
import type { StoppedRollout } from '../../model/drift.ts';
import type { NodeClaim } from '../../model/node-claim.ts';
import type { Ports } from '../../ports/ports.ts';

type Parts = Pick<Ports, 'nodeClaims' | 'rollouts' | 'journal' | 'clock' | 'queue'>;

/**
 * A node did not get ready. If nothing that was made as it was has, what its class says now is to
 * blame as far as anybody can tell: no further node is replaced by it.
 */
export async function noteFailedStart(
  ports: Parts,
  { name, launch, nodeClass: { name: nodeClass } }: NodeClaim,
  why: string,
): Promise<void> {
  const version = launch && launchedVersion(launch);
  if (version === undefined) return;
  const claims = (await ports.nodeClaims.list()).map(({ claim }) => claim);
  if (isProven(version, { name: nodeClass }, claims)) return;
  const stopped = (await ports.rollouts.list()).find((one) => one.nodeClass === nodeClass);
  if (stopped?.version === version) return;

  const at = ports.clock.now();
  await stopRollout(ports, { nodeClass, version, claim: name, why, at });
}

/** On record, told, and soon to be read in the status of the class. */
export async function stopRollout(
  { rollouts, journal, queue }: Pick<Ports, 'rollouts' | 'journal' | 'queue'>,
  stopped: StoppedRollout,
): Promise<void> {
  await rollouts.stop(stopped);
  const { nodeClass, claim, why, at } = stopped;
  await journal.happened({ kind: 'rollout-stopped', at, nodeClass, claim, why });
  await queue.send({ topic: 'class' });
}
