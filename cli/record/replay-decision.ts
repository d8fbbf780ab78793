import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { decideDisruption } from '../../shared/controllers/disruption/decide-disruption.ts';
import { decideProvisioning } from '../../shared/controllers/provisioning/decide-provisioning.ts';
import type { DisruptionPlan, ProvisioningPlan } from '../../shared/model/plans.ts';
import { formatInstant } from '../../shared/model/time.ts';
import type { DecisionInput } from '../../shared/ports/decision-log.ts';
import type { ReadDecision } from '../../shared/record/read-decision.ts';
import type { PlanSummary, Replay } from '../documents/replay.ts';

type ReplayedDecision = Replay['decisions'][number];

type MadeAgain =
  | { readonly kind: 'provisioning'; readonly plan: ProvisioningPlan }
  | { readonly kind: 'disruption'; readonly plan: DisruptionPlan };

/** Makes the decision again from its input. */
export function makeAgain(input: DecisionInput, id: string): MadeAgain {
  if (input.kind === 'provisioning') return { kind: input.kind, plan: decideProvisioning(input, id) };
  // The command of a confirmation keeps the id of its proposal.
  return { kind: input.kind, plan: decideDisruption(input, input.proposal?.id ?? id) };
}

const decideAgain = (input: DecisionInput, id: string): string => JSON.stringify(makeAgain(input, id).plan);

/** True if this release decides byte for byte as the release that made the record. */
export const isReplayedEqually = ({ input, id, planJson }: ReadDecision): boolean =>
  decideAgain(input, id) === planJson;

/** @param input - the recorded input, or one with other settings */
export function replayDecision({ id, at, kind, planJson }: ReadDecision, input: DecisionInput): ReplayedDecision {
  const replayedJson = decideAgain(input, id);
  const recorded: unknown = JSON.parse(planJson);
  const replayed: unknown = JSON.parse(replayedJson);
  const equal = replayedJson === planJson;
  return {
    id,
    at: formatInstant(at),
    kind,
    equal,
    ...(!equal && { difference: findDifference(recorded, replayed) ?? 'order of fields' }),
    recorded: summarizePlan(recorded),
    replayed: summarizePlan(replayed),
  };
}

/** Finds the path of the first value that differs; undefined if all values are equal. */
function findDifference(before: unknown, after: unknown, path = 'plan'): string | undefined {
  if (isDeepStrictEqual(before, after)) return undefined;
  if (!isContainer(before) || !isContainer(after)) return path;
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const key of keys) {
    const inner = Array.isArray(before) ? `${path}[${key}]` : `${path}.${key}`;
    const difference = findDifference(before[key], after[key], inner);
    if (difference !== undefined) return difference;
  }
  return path;
}

const isContainer = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const plannedClaimSchema = z.object({
  pods: z.array(z.string()),
  cheapest: z.object({ hourlyUsd: z.number() }),
});
const placementSchema = z.object({ pods: z.array(z.string()) });
const commandSchema = z.object({
  candidates: z.array(z.string()),
  replacements: z.array(plannedClaimSchema),
  placements: z.array(placementSchema),
});
const planSchema = z.object({
  claims: z.array(plannedClaimSchema).default([]),
  placements: z.array(placementSchema).default([]),
  unplaced: z.array(placementSchema).default([]),
  command: commandSchema.optional(),
  more: z.array(commandSchema).default([]),
});

function summarizePlan(plan: unknown): PlanSummary {
  const { claims, placements, unplaced, command, more } = planSchema.parse(plan);
  const commands = command ? [command, ...more] : [];
  const launches = [...claims, ...commands.flatMap(({ replacements }) => replacements)];
  const targets = [...placements, ...commands.flatMap((one) => one.placements), ...launches];
  return {
    launches: launches.length,
    hourlyUsd: launches.reduce((sum, { cheapest }) => sum + cheapest.hourlyUsd, 0),
    placed: targets.reduce((sum, { pods }) => sum + pods.length, 0),
    unplaced: unplaced.reduce((sum, { pods }) => sum + pods.length, 0),
    removes: commands.flatMap(({ candidates }) => candidates),
  };
}
