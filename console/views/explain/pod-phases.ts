import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import type { Evidence, PhaseRow } from '../../explanation.ts';
import type { PodAnswer } from '../decision-index.ts';

/**
 * @param claim - the claim of the node that the pod runs on or waits for
 */
export function podPhases(pod: Pod, answer: PodAnswer | undefined, claim: NodeClaim | undefined): Evidence {
  const waitedFor = claim && startedFor(pod, claim) ? claim : undefined;
  return {
    kind: 'phases',
    title: 'From pending to running',
    rows: [
      phase('created', pod.createdAt),
      ...(answer ? [phase('decided', answer.decision.at)] : []),
      ...(waitedFor
        ? [
            phase('node launched', waitedFor.launch?.at),
            phase('node registered', waitedFor.registeredAt),
            phase('node ready', waitedFor.initializedAt),
          ]
        : []),
      phase('running', pod.startedAt),
    ],
  };
}

/** True if the pod had to wait for the node. */
export const startedFor = ({ createdAt }: Pod, { initializedAt }: NodeClaim): boolean =>
  initializedAt === undefined || initializedAt > createdAt;

export const phase = (label: string, at: number | undefined): PhaseRow => ({
  label,
  ...(at === undefined ? {} : { at }),
});
