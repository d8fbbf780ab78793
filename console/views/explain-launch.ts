import type { Offering } from '../../shared/model/instance-type.ts';
import type { PlannedClaim } from '../../shared/model/plans.ts';
import { CPU } from '../../shared/model/resources.ts';
import { formatCpu, formatNodeUsd, formatPercent, formatTime, plural } from '../format.ts';
import type { Evidence, OfferingRow } from '../views.ts';
import type { LaunchAnswer } from './decision-index.ts';

/** What a node was launched for, and what it was weighed against. */
export function whyLaunched({ decision, planned, replaces }: LaunchAnswer): Evidence {
  const { pods, claim, cheapest, nextBest } = planned;
  const need = `${plural(pods.length, 'pod')} needed ${formatCpu(claim.requests[CPU] ?? 0)} CPU, DaemonSets included, and no node had room.`;
  const instead = `It replaces ${replaces?.join(' and ')}.`;
  const choice = `Cheapest of ${plural(claim.instanceTypes.length, 'instance type')} that fit: ${cheapest.instanceType} ${cheapest.capacityType} in ${cheapest.zone} at ${formatNodeUsd(cheapest.hourlyUsd)}/h${nextBestText(cheapest, nextBest)}.`;
  return {
    kind: 'text',
    title: `Why it was launched, ${formatTime(decision.at)}`,
    sentences: [
      {
        text: `${replaces ? instead : need} ${choice}`,
        objects: (replaces ?? []).map((name) => ({ kind: 'node' as const, name })),
      },
    ],
  };
}

function nextBestText(cheapest: Offering, nextBest: Offering | undefined): string {
  if (!nextBest) return '';
  const more = nextBest.hourlyUsd / cheapest.hourlyUsd - 1;
  return `; next best ${nextBest.instanceType} ${nextBest.capacityType}, +${formatPercent(more)}`;
}

export const launchEvidence = (launch: LaunchAnswer): Evidence[] => [
  whyLaunched(launch),
  ...offeringEvidence(launch.planned),
];

function offeringEvidence({ cheapest, nextBest }: PlannedClaim): Evidence[] {
  const rows: OfferingRow[] = [cheapest, ...(nextBest ? [nextBest] : [])].map(
    ({ instanceType, capacityType, zone, hourlyUsd }) => ({
      text: instanceType,
      ...{ capacityType, zone, hourlyUsd },
    }),
  );
  return [{ kind: 'offerings', title: 'Offerings weighed', rows }];
}
