import type { NodeClaim } from '../model/nodes/node-claim.ts';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../model/time.ts';
import type { Observed } from './observed.ts';

/*
 * An instance that EC2 does not show has ended, or is so new that EC2 does not show it yet. Joined Nodes
 * make no difference: Bottlerocket joins within 20 s.
 *
 *     launch            20 s            50 s                         5 min
 *     ---+----------------+---------------+----------------------------+------------------> age
 *        | hidden         | hidden:       | hidden: two observations,  | hidden: gone
 *        |                | since = 20 s  | 30 s apart: gone           |
 *
 * The state `terminated`, and an event of EC2, count at once. A ready Node outweighs EC2's answer: its
 * kubelet responds.
 *
 * See AWS, "Eventual consistency in the Amazon EC2 API": up to a few minutes.
 */

/** EC2 shows all instances of this age. */
export const EC2_SHOWS_AFTER_MS = 5 * MINUTE_MS;
const CONFIRMED_AFTER_MS = 30 * SECOND_MS;

type Answer = Pick<Observed, 'instance' | 'isReportedEnded' | 'nodes' | 'now'>;

/**
 * Records since when EC2 does not show a new instance. It is forgotten when EC2 shows the instance, or
 * the Node is ready.
 *
 * @returns `claim` itself if nothing changed
 */
export function recordAbsentInstance(claim: NodeClaim, observed: Answer): NodeClaim {
  const { instance, now } = observed;
  const { instanceAbsentSince: since, ...shown } = claim;
  if (isAlive(observed)) return since === undefined ? claim : shown;
  // EC2 was not asked.
  if (!instance) return claim;
  if (!instance.isAbsent) return since === undefined ? claim : shown;
  return since === undefined && isNew(claim, now) ? { ...claim, instanceAbsentSince: now } : claim;
}

/** Computes when the second observation is due; `undefined` if there was no first one. */
export const computeAbsenceCheck = ({ instanceAbsentSince: since }: NodeClaim): EpochMs | undefined =>
  since === undefined ? undefined : since + CONFIRMED_AFTER_MS;

/** True if EC2's answers, as far as they are consistent by now, say that the instance has ended. */
export function hasEnded(claim: NodeClaim, { instance, isReportedEnded, now }: Answer): boolean {
  if (instance?.state !== 'gone') return false;
  if (!instance.isAbsent || isReportedEnded || !isNew(claim, now)) return true;
  return now >= (computeAbsenceCheck(claim) ?? Number.POSITIVE_INFINITY);
}

export const isInstanceGone = (claim: NodeClaim, observed: Answer): boolean =>
  hasEnded(claim, observed) && !isAlive(observed);

const isAlive = ({ nodes }: Answer): boolean => nodes.some(({ ready }) => ready);

const isNew = ({ launch }: NodeClaim, now: EpochMs): boolean =>
  launch !== undefined && now < launch.at + EC2_SHOWS_AFTER_MS;
