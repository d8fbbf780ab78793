import type { DisruptionCommand, DisruptionPlan, ProvisioningPlan } from '../../shared/model/plans.ts';
import type { Decision } from '../../shared/ports/decision-log.ts';
import { formatNodeUsd, plural } from '../format.ts';
import type { DecisionView } from '../views.ts';

/** Names the decision and its result. */
export function decisionView(decision: Decision): DecisionView {
  const { id, at, kind } = decision;
  const results =
    decision.kind === 'provisioning'
      ? summarizeProvisioning(decision.plan)
      : listCommands(decision.plan).map(summarizeCommand);
  const text = results.length === 0 ? NOTHING[kind] : results.join(', ');
  return { ...{ id, at, kind, text }, acts: changesAnything(decision) };
}

const NOTHING: Readonly<Record<Decision['kind'], string>> = {
  provisioning: 'no pod needs a node',
  disruption: 'no node is removed or replaced',
};

/** Pods that fit on existing nodes are bound by kube-scheduler. */
const changesAnything = (decision: Decision): boolean =>
  decision.kind === 'provisioning' ? decision.plan.claims.length > 0 : listCommands(decision.plan).length > 0;

function summarizeProvisioning({ claims, placements, unplaced }: ProvisioningPlan): string[] {
  const launched = countPods(claims);
  const placed = countPods(placements);
  const refused = countPods(unplaced);
  const forPods = launched > 0 ? ` for ${plural(launched, 'pod')}` : '';
  return [
    ...(claims.length > 0 ? [`${are(claims.length, 'node')} launched${forPods}`] : []),
    ...(placed > 0 ? [`${have(placed, 'pod')} room on nodes that exist`] : []),
    ...(refused > 0 ? [`${remain(refused, 'pod')} pending`] : []),
  ];
}

function summarizeCommand({ candidates, replacements, savingHourlyUsd }: DisruptionCommand): string {
  const removed = `${are(candidates.length, 'node')} ${replacements.length > 0 ? `replaced by ${replacements.length}` : 'removed'}`;
  return savingHourlyUsd > 0 ? `${removed}, which saves ${formatNodeUsd(savingHourlyUsd)}/h` : removed;
}

export const listCommands = ({ command, more = [] }: DisruptionPlan): readonly DisruptionCommand[] => [
  ...(command ? [command] : []),
  ...more,
];

const countPods = (parts: readonly { readonly pods: readonly string[] }[]): number =>
  parts.reduce((sum, { pods }) => sum + pods.length, 0);

const are = (count: number, noun: string): string => `${plural(count, noun)} ${count === 1 ? 'is' : 'are'}`;
const have = (count: number, noun: string): string => `${plural(count, noun)} ${count === 1 ? 'has' : 'have'}`;
const remain = (count: number, noun: string): string => `${plural(count, noun)} ${count === 1 ? 'stays' : 'stay'}`;
