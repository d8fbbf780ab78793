import type { DisruptionPlan, ProvisioningPlan } from '../model/plans.ts';
import type { Confirmation, Decision } from '../ports/decision-log.ts';

/** The version of the format. A reader refuses a version that it does not know. */
export const RECORD_VERSION = 'record.mortise.sh/v1';

/** A decision that was recorded with its input. */
export type RecordedDecision = (Decision | Confirmation) & {
  readonly input: NonNullable<(Decision | Confirmation)['input']>;
};

interface DocumentFacts {
  readonly release: string;
  readonly unrecorded: number;
  /** The JSON of the packed snapshot. */
  readonly snapshotJson: string;
}

/** Writes the JSON of a decision; `decision-schema.ts` describes it. */
export function writeDecisionDocument(
  { id, at, tookMs, redacted, kind, plan, input }: RecordedDecision,
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
    redacted,
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

const digestVerdicts = ({ verdicts, surplus = [] }: DisruptionPlan): unknown => [
  ...verdicts.map(({ claim, reason }) => [claim, reason.code]),
  ...surplus,
];

/** With the fields of the reasons: an EC2NodeClass can change from not evaluated to broken under one code. */
const digestUnplaced = ({ unplaced }: ProvisioningPlan): unknown =>
  unplaced.map(({ pods, pools }) => [
    pods,
    pools.map(({ pool, reasons }) => [pool, reasons.map(({ code, fields }) => [code, fields])]),
  ]);
