import type { DecisionInput, Redacted } from '../ports/decision-log.ts';
import { RECORD_VERSION } from './decision-document.ts';
import { decisionDocumentSchema } from './decision-schema.ts';
import { parseRecord, UnreadableRecordError } from './errors.ts';
import { type ReadPart, unpackSnapshot } from './unpack-snapshot.ts';

/** A decision that was read from a record. */
export interface ReadDecision {
  readonly id: string;
  readonly at: number;
  readonly release: string;
  readonly kind: 'provisioning' | 'disruption' | 'confirmation';
  /** The number of equal decisions without effect that were made before this one and not recorded. */
  readonly unrecorded: number;
  /** Undefined if names are real. */
  readonly redacted?: Redacted;
  readonly input: DecisionInput;
  /** The plan as it was made, as JSON. */
  readonly planJson: string;
}

/**
 * Reads a recorded decision with its input.
 *
 * @param content - the document, parsed from its JSON
 * @throws UnreadableRecordError - the record is damaged, incomplete, or of a later release
 */
export function readDecision(content: unknown, readPart: ReadPart): ReadDecision {
  refuseOtherVersions(content);
  const document = parseRecord(decisionDocumentSchema, content, 'decision');
  const { id, at, release, decision: kind, unrecorded = 0, redacted, input, plan } = document;
  const snapshot = unpackSnapshot(input.snapshot, readPart);
  const planJson = JSON.stringify(plan);
  return {
    ...{ id, at, release, kind, unrecorded },
    ...(redacted && { redacted }),
    input: { ...input, snapshot },
    planJson,
  };
}

/** @throws UnreadableRecordError - the content is of a version that this release cannot read */
export function refuseOtherVersions(content: unknown): void {
  const version =
    typeof content === 'object' && content !== null && 'apiVersion' in content ? String(content.apiVersion) : 'none';
  if (version === RECORD_VERSION) return;
  const why = `has the version ${version}; this release reads ${RECORD_VERSION}`;
  throw new UnreadableRecordError('apiVersion', { why });
}
