import * as z from 'zod';
import type { DisruptionPlan, ProvisioningPlan } from '../model/plans.ts';
import { commandSchema } from '../model-schema/command-schema.ts';
import type { FieldsOf } from '../model-schema/exact-schema.ts';
import type {
  CapState,
  CapUse,
  Confirmation,
  Decision,
  ProvisioningBackoffs,
} from '../ports/decision-log.ts';
import type { PoolBackoff } from '../ports/learned-state.ts';
import { packedSnapshotSchema } from './packed-snapshot.ts';

/** The version of the format. A reader refuses a version that it does not know. */
export const RECORD_VERSION = 'record.mortise.sh/v1';

/** A decision that was recorded with its input. */
export type RecordedDecision = (Decision | Confirmation) & {
  readonly input: NonNullable<(Decision | Confirmation)['input']>;
};

const backoffSchema: z.ZodType<PoolBackoff> = z.looseObject({
  pool: z.string(),
  owner: z.string().exactOptional(),
  failures: z.number(),
  failedAt: z.number().exactOptional(),
  until: z.number(),
  message: z.string().exactOptional(),
} satisfies FieldsOf<PoolBackoff>);

const provisioningInputSchema = z.looseObject({
  kind: z.literal('provisioning'),
  snapshot: packedSnapshotSchema,
  backoffs: z.looseObject({
    registration: z.array(backoffSchema),
    launch: z.array(backoffSchema),
    placement: z.array(backoffSchema),
  } satisfies FieldsOf<ProvisioningBackoffs>),
  caps: z.looseObject({
    launchesPerMinute: z.number(),
    hourlyUsd: z.number(),
    maxNodes: z.number().exactOptional(),
    peak: z.number().exactOptional(),
    use: z.looseObject({
      launches: z.number(),
      usd: z.number(),
      nodes: z.number(),
    } satisfies FieldsOf<CapUse>),
  } satisfies FieldsOf<CapState>),
  anticipate: z.boolean(),
});

const disruptionInputSchema = z.looseObject({
  kind: z.literal('disruption'),
  snapshot: packedSnapshotSchema,
  running: z.array(commandSchema),
  proposal: commandSchema.exactOptional(),
});

/** A decision as it is stored: `decisions/<day>/<id>.json.gz`. */
export const decisionDocumentSchema = z.looseObject({
  apiVersion: z.literal(RECORD_VERSION),
  kind: z.literal('Decision'),
  /** The release of Mortise that decided. */
  release: z.string(),
  id: z.string(),
  at: z.number(),
  tookMs: z.number().exactOptional(),
  decision: z.enum(['provisioning', 'disruption', 'confirmation']),
  /** The number of equal decisions without effect since the last record of this kind. */
  unrecorded: z.number().exactOptional(),
  input: z.discriminatedUnion('kind', [provisioningInputSchema, disruptionInputSchema]),
  plan: z.record(z.string(), z.unknown()),
});

interface DocumentFacts {
  readonly release: string;
  readonly unrecorded: number;
  /** The JSON of the packed snapshot. */
  readonly snapshotJson: string;
}

/** Writes the JSON of a `DecisionDocument`. */
export function writeDecisionDocument(
  { id, at, tookMs, kind, plan, input }: RecordedDecision,
  { release, unrecorded, snapshotJson }: DocumentFacts,
): string {
  const { snapshot: _, ...inputFields } = input;
  const head = JSON.stringify({
    apiVersion: RECORD_VERSION,
    kind: 'Decision',
    release,
    id,
    at,
    tookMs,
    decision: kind,
    ...(unrecorded > 0 && { unrecorded }),
  });
  const rest = JSON.stringify(inputFields);
  return `${head.slice(0, -1)},"input":${rest.slice(0, -1)},"snapshot":${snapshotJson}},"plan":${JSON.stringify(plan)}}`;
}

export const isWithInput = (decision: Decision | Confirmation): decision is RecordedDecision =>
  decision.input !== undefined;

/**
 * True if the decision changes nothing: no node is launched or removed, and no pod is placed.
 */
export function isWithoutEffect({ kind, plan }: RecordedDecision): boolean {
  return 'verdicts' in plan
    ? kind !== 'confirmation' && plan.command === undefined
    : plan.claims.length === 0 && plan.placements.length === 0;
}

/** The outcome of a decision without effect: the pods that wait, the nodes that stay, the reasons. */
export function digestOf({ plan }: RecordedDecision): string {
  return JSON.stringify('verdicts' in plan ? digestVerdicts(plan) : digestUnplaced(plan));
}

const digestVerdicts = ({ verdicts }: DisruptionPlan): unknown =>
  verdicts.map(({ claim, reason }) => [claim, reason.code]);

const digestUnplaced = ({ unplaced }: ProvisioningPlan): unknown =>
  unplaced.map(({ pods, pools }) => [
    pods,
    pools.map(({ pool, reasons }) => [pool, reasons.map(({ code }) => code)]),
  ]);
