import { STAYING_NODE_QUIET_MS, toNodeClassReason } from '../../model/explanations/node-event-kinds.ts';
import { formatReason, type ReasonCode } from '../../model/explanations/reasons.ts';
import { awaitsNewClass } from '../../model/explanations/refusals.ts';
import type { DisruptionPlan, NodeVerdict, PoolRefusal } from '../../model/plans.ts';
import { MINUTE_MS } from '../../model/time.ts';
import type { Decision } from '../../ports/decision-log.ts';
import { claimAndNode, normal, toPoolSubject, type UserEvent, warning } from './user-events.ts';

/**
 * Events that explain why nodes stay, which nodes may be consolidated, and which NodePools cannot
 * launch.
 */
export const toDecisionEvents = (decision: Decision): readonly UserEvent[] =>
  decision.kind === 'disruption'
    ? [
        ...decision.plan.verdicts.flatMap(explainBlockedPool),
        ...decision.plan.verdicts.flatMap(explainStayingNode),
        ...listConsolidationCandidates(decision.plan),
      ]
    : decision.plan.unplaced.flatMap(({ pools }) =>
        pools.filter((refusal) => !awaitsNewClass(refusal, decision.at)).flatMap(explainUnusablePool),
      );

const ALLOW_NOTHING: ReadonlySet<ReasonCode> = new Set(['budget-closed', 'budget-unreadable', 'quiet-after-hand-over']);

/** A budget that allows nothing, or a quiet time, holds back every node of its pool. */
function explainBlockedPool({ reason }: NodeVerdict): readonly UserEvent[] {
  const { pool, reason: about } = reason.fields;
  if (!ALLOW_NOTHING.has(reason.code) || pool === undefined) return [];
  const blocked = normal('DisruptionBlocked', toPoolSubject({ pool }), formatReason(reason));
  return [{ ...blocked, quietMs: MINUTE_MS, ...(about !== undefined && { about }) }];
}

const listConsolidationCandidates = ({ command, verdicts }: DisruptionPlan): readonly UserEvent[] =>
  command?.reason === 'Underutilized'
    ? verdicts
        .filter(({ outcome }) => outcome === 'goes')
        .flatMap(({ claim, reason }) =>
          claimAndNode(claim).map((subject) => normal('ConsolidationCandidate', subject, formatReason(reason))),
        )
    : [];

/** Karpenter's text, on which alerts may match; the pod's reason names the key and the numbers. */
const MIN_VALUES_NOTE =
  'NodePool requirements filtered out all compatible available instance types due to minValues incompatibility';

function explainUnusablePool({ pool, reasons }: PoolRefusal): readonly UserEvent[] {
  const subject = toPoolSubject({ pool });
  return reasons.flatMap((reason) => {
    const note = formatReason(reason);
    const { condition } = reason.fields;
    if (reason.code === 'pool-has-no-types') {
      return [{ ...warning('NoCompatibleInstanceTypes', subject, note), quietMs: MINUTE_MS }];
    }
    // Without the field, the NodePool has types, but not for this pod.
    if (reason.code === 'min-values-unmet' && reason.fields.ofPool !== undefined) {
      return [
        {
          ...warning('NoCompatibleInstanceTypes', subject, MIN_VALUES_NOTE),
          quietMs: MINUTE_MS,
        },
      ];
    }
    if (reason.code !== 'pool-not-ready' || condition === 'ValidationSucceeded') return [];
    return [warning(toNodeClassReason(condition), subject, note)];
  });
}

const REASONS_TO_STAY: Partial<Record<ReasonCode, 'DisruptionBlocked' | 'Unconsolidatable'>> = {
  'blocked-by-pdb': 'DisruptionBlocked',
  'blocked-restart': 'DisruptionBlocked',
  'blocked-by-do-not-disrupt': 'DisruptionBlocked',
  'budget-exhausted': 'DisruptionBlocked',
  'budget-closed': 'DisruptionBlocked',
  'budget-unreadable': 'DisruptionBlocked',
  'drift-backoff': 'DisruptionBlocked',
  'static-at-limit': 'DisruptionBlocked',
  'static-without-replacement': 'DisruptionBlocked',
  'static-too-large': 'DisruptionBlocked',
  'rollout-first-node': 'DisruptionBlocked',
  'rollout-nodes-not-ready': 'DisruptionBlocked',
  'rollout-stopped': 'DisruptionBlocked',
  'pods-do-not-fit': 'Unconsolidatable',
  'depends-on-order': 'Unconsolidatable',
  'no-cheaper-replacement': 'Unconsolidatable',
  'not-priced': 'Unconsolidatable',
  'spot-diversity': 'Unconsolidatable',
  'spot-to-spot-disabled': 'Unconsolidatable',
  'not-paid-back': 'Unconsolidatable',
  'saves-too-little': 'Unconsolidatable',
  'still-paying-back': 'Unconsolidatable',
  'not-worth-disruption': 'Unconsolidatable',
  'would-return': 'Unconsolidatable',
};

function explainStayingNode({ claim, outcome, reason }: NodeVerdict): readonly UserEvent[] {
  const named = outcome === 'stays' ? REASONS_TO_STAY[reason.code] : undefined;
  if (!named) return [];
  return claimAndNode(claim).map((subject) => ({
    ...normal(named, subject, formatReason(reason)),
    quietMs: STAYING_NODE_QUIET_MS,
  }));
}
