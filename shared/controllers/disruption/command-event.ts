import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { ClusterEvent } from '../../model/explanations/events.ts';
import type { DriftReason } from '../../model/nodes/drift.ts';
import { nameFault } from '../../model/nodes/reboot.ts';
import type { CommandRepair, DisruptionCommand } from '../../model/plans.ts';
import { isReschedulable } from '../../model/pods/disruption-pods.ts';
import type { EpochMs } from '../../model/time.ts';

/** Describes a starting command as the event that is shown to people. */
export function toCommandEvent(command: DisruptionCommand, snapshot: ClusterSnapshot, at: EpochMs): ClusterEvent {
  const { candidates: claims, savingHourlyUsd, price } = command;
  const payback = price ? { paybackMs: price.paybackMs } : {};
  const offHours = command.offHoursOf === undefined ? {} : { offHoursOf: command.offHoursOf };
  if (command.reason === 'Drifted') {
    const by = command.replacements.map(({ cheapest }) => cheapest);
    const reason = findDriftReason(command, snapshot);
    return {
      kind: 'replace-drifted',
      at,
      claims,
      reason,
      by,
      ...(command.terminatesFirst && { terminatesFirst: true }),
    };
  }
  if (command.repair) return toRepairEvent(command.repair, claims[0] ?? '', at);
  const balanced = hasBalancedPool(command, snapshot) ? { balanced: true as const } : {};
  const [replacement] = command.replacements;
  if (replacement) {
    const from = describeCandidates(command, snapshot);
    const by = replacement.cheapest;
    return {
      kind: 'replace',
      at,
      claims,
      from,
      by,
      savingHourlyUsd,
      ...payback,
      ...balanced,
      ...offHours,
    };
  }
  if (command.reason === 'Empty') return { kind: 'remove-empty', at, claims, savingHourlyUsd };
  const pods = countPods(command, snapshot);
  return {
    kind: 'remove',
    at,
    claims,
    pods,
    savingHourlyUsd,
    ...payback,
    ...balanced,
    ...offHours,
  };
}

function toRepairEvent({ reboots, fault, ...repair }: CommandRepair, claim: string, at: EpochMs): ClusterEvent {
  if (!reboots) return { kind: 'repair', at, claim, ...repair };
  return { kind: 'reboot-requested', at, claim, cause: nameFault({ ...repair, fault }), drainMs: repair.drainMs };
}

/** Describes the nodes that a command waits for before it removes its own. */
export const listReplacementEvents = (
  { replacements, candidates: replaces, reason }: DisruptionCommand,
  at: EpochMs,
): readonly ClusterEvent[] =>
  replacements.map(({ claim }) => ({
    kind: 'replacement-requested',
    at,
    claim: claim.name,
    replaces,
    reason,
  }));

function hasBalancedPool({ candidates }: DisruptionCommand, { claims, pools }: ClusterSnapshot): boolean {
  const names = new Set(candidates);
  const balanced = new Set(pools.filter(({ disruption }) => disruption.policy === 'Balanced').map(({ name }) => name));
  return claims.some(({ name, pool }) => names.has(name) && balanced.has(pool));
}

/** The drift reason of the first candidate: a command for drift has only one. */
const findDriftReason = ({ candidates }: DisruptionCommand, { claims }: ClusterSnapshot): DriftReason =>
  claims.find(({ name }) => name === candidates[0])?.drift?.reason ?? 'NodePoolDrifted';

/** `on-demand, $0.326`: capacity types and the total price per hour. */
function describeCandidates({ candidates }: DisruptionCommand, { claims }: ClusterSnapshot): string {
  const names = new Set(candidates);
  const launches = claims.filter(({ name }) => names.has(name)).flatMap(({ launch }) => launch ?? []);
  const hourlyUsd = launches.reduce((sum, launch) => sum + launch.hourlyUsd, 0);
  const kinds = [...new Set(launches.map(({ capacityType }) => capacityType))];
  return `${kinds.join(' and ')}, ${hourlyUsd === 0 ? 'not priced' : `$${hourlyUsd.toFixed(3)}`}`;
}

function countPods({ candidates }: DisruptionCommand, { claims, pods }: ClusterSnapshot): number {
  const names = new Set(candidates);
  const nodes = new Set(claims.filter(({ name }) => names.has(name)).map(({ nodeName }) => nodeName));
  return pods.filter((pod) => nodes.has(pod.nodeName) && isReschedulable(pod)).length;
}
