import type { Step } from '../../lifecycle/step.ts';
import type { ClusterEvent } from '../../model/explanations/events.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { type PodKey, podKey } from '../../model/pods/pod.ts';
import type { EpochMs } from '../../model/time.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import type { EvictionRefusal } from './apply-effects.ts';

/** Reports the events of a step, and each holder of a drain once. */
export async function publishEvents(
  { decisionLog, clock }: PortsOf<'nodeLifecycle'>,
  before: NodeClaim,
  { events }: Step,
  refusals: readonly EvictionRefusal[],
): Promise<void> {
  for (const event of events) await decisionLog.recordEvent(event);
  const reportedHolders = new Set(Object.keys(before.heldUpBy ?? {}));
  for (const refusal of refusals) {
    const holder = toHolder(refusal);
    if (reportedHolders.has(holder)) continue;
    reportedHolders.add(holder);
    await decisionLog.recordEvent(toRefusalEvent(refusal, clock.now()));
  }
}

export async function reportStuckDrain(
  { decisionLog, clock }: PortsOf<'nodeLifecycle'>,
  before: NodeClaim,
  { name: claim, blockedDrain }: NodeClaim,
): Promise<void> {
  const { text, blockers = [], reportedAt } = blockedDrain ?? {};
  if (text === undefined || reportedAt === before.blockedDrain?.reportedAt) return;
  await decisionLog.recordEvent({ kind: 'drain-stuck', at: clock.now(), claim, text, blockers });
}

function toRefusalEvent(refusal: EvictionRefusal, at: EpochMs): ClusterEvent {
  const pod = podKey(refusal.pod);
  return 'pdb' in refusal
    ? { kind: 'eviction-refused', at, pod, pdb: refusal.pdb }
    : { kind: 'eviction-failed', at, pod, why: refusal.why };
}

/**
 * The key under which a refusal is reported once: the budget for all of its pods, else the pod
 * itself.
 */
const toHolder = (refusal: EvictionRefusal): string =>
  'pdb' in refusal ? `${refusal.pod.namespace}/${refusal.pdb}` : `Pod ${podKey(refusal.pod)}`;

export const listHolders = (refusals: readonly EvictionRefusal[]): readonly string[] => [
  ...new Set(refusals.map(toHolder)),
];

/** Answers other than those of budgets, which the observation contains. */
export const listAnswers = (refusals: readonly EvictionRefusal[]): ReadonlyMap<PodKey, string> =>
  new Map(refusals.flatMap((refusal) => ('why' in refusal ? [[podKey(refusal.pod), refusal.why] as const] : [])));
