import { formatCount, formatHourlyUsd, formatNames, formatPods } from '../model/explanations/phrases.ts';
import { formatRefusals } from '../model/explanations/refusals.ts';
import { formatOffering } from '../model/offerings/instance-type.ts';
import {
  type DisruptionCommand,
  type DisruptionPlan,
  listCommands,
  type PlannedClaim,
  type ProvisioningPlan,
} from '../model/plans.ts';
import type { Decision } from '../ports/decision-log.ts';
import { groupVerdicts, listEvidence } from './explain-node-pool.ts';
import type { Evidence, Explanation } from './explanation.ts';
import { describeSpotShare } from './spot-share.ts';

/** Explains what a decision changed, and why it changed nothing else. */
export const explainDecision = (decision: Decision): Pick<Explanation, 'verdict' | 'evidence'> => ({
  verdict: summarizeDecision(decision),
  evidence: decision.kind === 'provisioning' ? explainProvisioning(decision.plan) : explainDisruption(decision.plan),
});

/** Says in a line what a decision does. */
export function summarizeDecision(decision: Decision): string {
  const results =
    decision.kind === 'provisioning'
      ? summarizeProvisioning(decision.plan)
      : listCommands(decision.plan).map(summarizeCommand);
  return results.length === 0 ? NOTHING[decision.kind] : results.join(', ');
}

const NOTHING: Readonly<Record<Decision['kind'], string>> = {
  provisioning: 'no pod needs a node',
  disruption: 'no node is removed or replaced',
};

function summarizeProvisioning({ claims, placements, unplaced }: ProvisioningPlan): readonly string[] {
  const launched = countPods(claims);
  const placed = countPods(placements);
  const refused = countPods(unplaced);
  const forPods = launched > 0 ? ` for ${formatCount(launched, 'pod')}` : '';
  return [
    ...(claims.length > 0 ? [`${countThat(claims.length, 'node', ['is', 'are'])} launched${forPods}`] : []),
    ...(placed > 0 ? [`${countThat(placed, 'pod', ['has', 'have'])} room on nodes that exist`] : []),
    ...(refused > 0 ? [`${countThat(refused, 'pod', ['stays', 'stay'])} pending`] : []),
  ];
}

function summarizeCommand({ candidates, replacements, savingHourlyUsd }: DisruptionCommand): string {
  const how = replacements.length > 0 ? `replaced by ${replacements.length}` : 'removed';
  const saves = savingHourlyUsd > 0 ? `, which saves ${formatHourlyUsd(savingHourlyUsd, 4)}` : '';
  return `${countThat(candidates.length, 'node', ['is', 'are'])} ${how}${saves}`;
}

const countPods = (parts: readonly { readonly pods: readonly string[] }[]): number =>
  parts.reduce((sum, { pods }) => sum + pods.length, 0);

const countThat = (count: number, noun: string, [one, many]: readonly [string, string]): string =>
  `${formatCount(count, noun)} ${count === 1 ? one : many}`;

const explainProvisioning = ({ claims, placements, unplaced, hourlyUsd, bound }: ProvisioningPlan): Evidence[] => [
  ...claims.map(describeLaunch),
  ...placements.map(({ target, pods }) => ({ label: 'room', text: `${formatPods(pods)} on ${target}` })),
  ...unplaced.map(({ pods, pools }) => ({ label: 'pending', text: `${formatPods(pods)}: ${formatRefusals(pools)}` })),
  ...listEvidence(
    'spot',
    describeSpotShare(claims.map(({ cheapest, pods }) => ({ ...cheapest, podCount: pods.length }))),
  ),
  ...(bound
    ? [
        {
          label: 'price',
          text: `the new nodes cost ${formatHourlyUsd(hourlyUsd, 4)}; none for these pods can cost less than ${formatHourlyUsd(bound.leastHourlyUsd, 4)}`,
        },
      ]
    : []),
];

const explainDisruption = (plan: DisruptionPlan): Evidence[] => [
  ...listCommands(plan).flatMap(({ candidates, reason, replacements, price }) => [
    {
      label: replacements.length > 0 ? 'replaces' : 'removes',
      text: `${formatNames(candidates)}: ${reason}${price ? `, ${formatCount(price.evictions, 'eviction')}` : ''}`,
    },
    ...replacements.map(describeLaunch),
  ]),
  ...groupVerdicts(plan.verdicts.filter(({ outcome }) => outcome === 'stays')),
  ...(plan.surplus && plan.surplus.length > 0
    ? [{ label: 'surplus', text: `new pods are to prefer other nodes than ${formatNames(plan.surplus)}` }]
    : []),
];

const describeLaunch = ({ claim, pods, cheapest }: PlannedClaim): Evidence => ({
  label: 'launches',
  text: `${claim.name}, ${formatOffering(cheapest)}, ${formatHourlyUsd(cheapest.hourlyUsd, 4)}${pods.length > 0 ? `, for ${formatPods(pods)}` : ''}`,
});
