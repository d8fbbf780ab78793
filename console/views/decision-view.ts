import { summarizeDecision } from '../../shared/explain/explain-decision.ts';
import { listCommands } from '../../shared/model/plans.ts';
import type { Decision } from '../../shared/ports/decision-log.ts';
import type { DecisionView } from '../views.ts';

/** Names the decision and its result. */
export function decisionView(decision: Decision): DecisionView {
  const { id, at, kind } = decision;
  return { ...{ id, at, kind, text: summarizeDecision(decision) }, acts: changesAnything(decision) };
}

/** Pods that fit on existing nodes are bound by kube-scheduler. */
const changesAnything = (decision: Decision): boolean =>
  decision.kind === 'provisioning' ? decision.plan.claims.length > 0 : listCommands(decision.plan).length > 0;
