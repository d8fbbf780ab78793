import { buildTimeline, type TimelinePhase } from '../lifecycle/claim-timeline.ts';
import { formatShortDuration } from '../model/duration.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { Pod } from '../model/pods/pod.ts';
import { formatInstant } from '../model/time.ts';
import type { Evidence, Phase } from './explanation.ts';

/** The phases of a node's life that it has reached. */
export const describeClaimPhases = (claim: NodeClaim): Evidence =>
  describePhases(buildTimeline(claim).map(({ phase, at }) => ({ label: phase.replaceAll('-', ' '), at })));

/** The phases of a node that a pod waits for. */
const AWAITED: readonly TimelinePhase[] = ['decided', 'launched', 'registered', 'initialized'];

/**
 * The phases of a pod from its creation, with those of its node if the pod had to wait for it.
 *
 * @param claim - of the node that the pod runs on or waits for
 */
export function describePodPhases(pod: Pod, claim: NodeClaim | undefined): Evidence {
  const isAwaited = claim && (claim.initializedAt === undefined || claim.initializedAt > pod.createdAt);
  const ofNode = isAwaited ? buildTimeline(claim).filter(({ phase }) => AWAITED.includes(phase)) : [];
  const phases = [
    { label: 'created', at: pod.createdAt },
    ...ofNode.map(({ phase, at }) => ({ label: `node ${phase}`, at })),
    ...(pod.startedAt === undefined ? [] : [{ label: 'running', at: pod.startedAt }]),
  ];
  return describePhases(phases.toSorted((a, b) => a.at - b.at));
}

function describePhases(rows: readonly Phase[]): Evidence {
  const texts = rows.map(({ label, at }, index) => {
    const before = rows[index - 1];
    return `${label} ${before ? `+${formatShortDuration(at - before.at)}` : formatInstant(at)}`;
  });
  return { label: 'phases', text: texts.join(', '), figures: { kind: 'phases', rows } };
}
