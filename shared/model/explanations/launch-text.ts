import type { Offering } from '../offerings/instance-type.ts';
import type { ClusterEvent } from './events.ts';
import { formatCount, formatCpu, formatHourlyUsd, formatNames, formatUsd } from './phrases.ts';

type LaunchEvent = Extract<ClusterEvent, { kind: 'launch' }>;

/** Formats a launch as a sentence: what needs it, where, and for which price. */
export function formatLaunch(event: LaunchEvent): string {
  const { offering, nextBest } = event;
  return `${needText(event)} in ${offering.zone} → ${offeringText(offering)}${nextBestText(offering, nextBest)}.`;
}

/** Formats equal launches of one cause as one sentence. */
export function formatLaunches(events: readonly LaunchEvent[]): string {
  const [first] = events;
  if (!first || events.length === 1) return first ? formatLaunch(first) : '';
  const { offering, nextBest } = first;
  const hourlyUsd = events.reduce((sum, { offering: { hourlyUsd } }) => sum + hourlyUsd, 0);
  const all = {
    ...first,
    pods: events.flatMap(({ pods }) => pods),
    podsToCome: events.reduce((sum, { podsToCome = 0 }) => sum + podsToCome, 0),
    cpuMilli: events.reduce((sum, { cpuMilli }) => sum + cpuMilli, 0),
  };
  const need = hasPods(all) ? needText(all) : formatNames(events.map(({ claim }) => claim));
  const kind = `${offering.instanceType} ${offering.capacityType}`;
  return `${need} in ${offering.zone} → ${events.length} × ${kind}, ${hourlyUsd === 0 ? 'not priced' : `${formatUsd(hourlyUsd)}/h together`}${nextBestText(offering, nextBest)}.`;
}

const offeringText = ({ instanceType, capacityType, hourlyUsd }: Offering): string =>
  `${instanceType} ${capacityType}, ${formatHourlyUsd(hourlyUsd)}`;

const hasPods = ({ pods, podsToCome = 0 }: Pick<LaunchEvent, 'pods' | 'podsToCome'>): boolean =>
  pods.length + podsToCome > 0;

/** Names the pods that caused the launch, those to come included, else the claim. */
function needText(event: LaunchEvent): string {
  const { claim, pods, podsToCome = 0, cpuMilli, replaces } = event;
  if (replaces) return `${claim} for the pods of ${formatNames(replaces)}`;
  if (!hasPods(event)) return claim;
  const count = pods.length + podsToCome;
  const toCome = podsToCome === 0 ? '' : pods.length === 0 ? ' to come' : ` (${podsToCome} of them to come)`;
  const verb = count === 1 ? 'needs' : 'need';
  return `${formatCount(count, 'pod')}${toCome} ${verb} ${formatCpu(cpuMilli)} CPU`;
}

/**
 * Returns an empty text if the next best offering costs no more: EC2 chose by more than the price.
 */
function nextBestText({ hourlyUsd }: Offering, nextBest: Offering | undefined): string {
  if (!nextBest || hourlyUsd <= 0) return '';
  const percent = Math.round((nextBest.hourlyUsd / hourlyUsd - 1) * 100);
  return percent > 0 ? `; next best +${percent} %` : '';
}
