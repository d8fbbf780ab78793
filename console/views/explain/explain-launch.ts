import { explainChoice } from '../../../shared/model/explanations/plan-text.ts';
import type { Launch } from '../../../shared/model/nodes/node-claim.ts';
import type { Offering } from '../../../shared/model/offerings/instance-type.ts';
import type { PlannedClaim } from '../../../shared/model/plans.ts';
import { CPU } from '../../../shared/model/resources.ts';
import type { Evidence, OfferingRow } from '../../explanation.ts';
import { formatCpu, formatNodeUsd, formatPercent, formatTime, plural } from '../../format.ts';
import type { LaunchAnswer } from '../decision-index.ts';

/**
 * Explains a launch: its pods, the offerings and the choice.
 *
 * @param launch - EC2's answer; undefined until it arrived
 */
export const launchEvidence = (answer: LaunchAnswer, launch: Launch | undefined): Evidence[] => [
  {
    kind: 'text',
    title: `Why it was launched, ${formatTime(answer.decision.at)}`,
    sentences: [
      {
        text: [
          needText(answer),
          cheapestText(answer.planned),
          explainChoice(answer.planned),
          outcomeText(answer.planned, launch),
        ]
          .filter((text) => text !== '')
          .join(' '),
        objects: (answer.replaces ?? []).map((name) => ({ kind: 'node' as const, name })),
      },
    ],
  },
  { kind: 'offerings', title: 'Offerings weighed', rows: offeringRows(answer.planned) },
];

function needText({ planned, replaces }: LaunchAnswer): string {
  if (replaces) return `It replaces ${replaces.join(' and ')}.`;
  const { pods, anticipated = [], headroom = [], claim } = planned;
  const cpu = formatCpu(claim.requests[CPU] ?? 0);
  const toCome = anticipated.length > 0 ? ` (${anticipated.length} of them were to come)` : '';
  const names = [
    ...(pods.length + anticipated.length > 0 ? [`${plural(pods.length + anticipated.length, 'pod')}${toCome}`] : []),
    ...(headroom.length > 0 ? [`${plural(headroom.length, 'placeholder')} of CapacityBuffers`] : []),
  ];
  return `${names.join(' and ')} needed ${cpu} CPU, DaemonSets included, and no node had room.`;
}

function cheapestText({ claim, cheapest, nextBest }: PlannedClaim): string {
  const types = plural(claim.instanceTypes.length, 'instance type');
  return `Cheapest of ${types} that fit: ${offeringText(cheapest)}${nextBestText(cheapest, nextBest)}.`;
}

/** EC2 also weighs capacity, so it may choose another offering than the cheapest. */
function outcomeText({ cheapest }: PlannedClaim, launch: Launch | undefined): string {
  const isCheapest =
    launch?.instanceType === cheapest.instanceType &&
    launch.zone === cheapest.zone &&
    launch.capacityType === cheapest.capacityType;
  return !launch || isCheapest ? '' : `EC2 gave ${offeringText(launch)}.`;
}

const offeringText = ({ instanceType, capacityType, zone, hourlyUsd }: Offering): string =>
  `${instanceType} ${capacityType} in ${zone} at ${formatNodeUsd(hourlyUsd)}/h`;

function nextBestText(cheapest: Offering, nextBest: Offering | undefined): string {
  if (!nextBest) return '';
  const more = nextBest.hourlyUsd / cheapest.hourlyUsd - 1;
  return `; next best ${nextBest.instanceType} ${nextBest.capacityType}, +${formatPercent(more)}`;
}

const offeringRows = ({ cheapest, nextBest }: PlannedClaim): OfferingRow[] =>
  [cheapest, ...(nextBest ? [nextBest] : [])].map(({ instanceType, capacityType, zone, hourlyUsd }) => ({
    text: instanceType,
    ...{ capacityType, zone, hourlyUsd },
  }));
