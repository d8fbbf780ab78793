import * as z from 'zod';
import { formatInstant } from '../model/time.ts';
import { snapshotSchema } from '../model-schema/snapshot-schema.ts';
import type { Confirmation, Decision } from '../ports/decision-log.ts';
import { RECORD_VERSION } from './decision-document.ts';
import { createDecisionRecorder, type RecordStore } from './decision-recorder.ts';
import { decisionDocumentSchema } from './decision-schema.ts';
import { parseRecord, UnreadableRecordError } from './errors.ts';
import { frameSchema } from './packed-snapshot-schema.ts';
import { type ReadDecision, readDecision, refuseOtherVersions } from './read-decision.ts';

const snapshotFileSchema = z.looseObject({
  apiVersion: z.literal(RECORD_VERSION),
  kind: z.literal('Snapshot'),
  cluster: z.string(),
  writtenAt: z.string(),
  decisions: z.array(z.unknown()),
  /** Frames, catalogues and prices, by the SHA-256 of their JSON. */
  parts: z.record(z.string(), z.unknown()),
});

/** Returns the JSON Schema of a snapshot file, with the snapshot that its decisions unpack to. */
export function buildSnapshotJsonSchema(): Readonly<Record<string, unknown>> {
  const file = snapshotFileSchema.extend({ decisions: z.array(decisionDocumentSchema) });
  const toJson = (schema: z.ZodType) => z.toJSONSchema(schema, { unrepresentable: 'any' });
  return {
    ...toJson(file),
    title: 'Snapshot',
    $defs: { Frame: toJson(frameSchema), ClusterSnapshot: toJson(snapshotSchema) },
  };
}

interface SnapshotFileFacts {
  readonly cluster: string;
  readonly release: string;
  readonly writtenAt: number;
}

/** Returns the JSON of a file with these decisions and everything that they refer to. */
export async function writeSnapshotFile(
  decisions: readonly (Decision | Confirmation)[],
  { cluster, release, writtenAt }: SnapshotFileFacts,
): Promise<string> {
  const documents: string[] = [];
  const parts = new Map<string, string>();
  const store: RecordStore = {
    async put(path, json) {
      const [folder, , file = ''] = path.split('/');
      if (folder === 'decisions') documents.push(json);
      else parts.set(file.replace('.json.gz', ''), json);
      return 'stored';
    },
  };
  const recorder = createDecisionRecorder(store, release);
  for (const decision of decisions) await recorder.record(decision);
  const head = JSON.stringify({
    apiVersion: RECORD_VERSION,
    kind: 'Snapshot',
    cluster,
    writtenAt: formatInstant(writtenAt),
  });
  const partFields = [...parts].map(([hash, json]) => `"${hash}":${json}`);
  return `${head.slice(0, -1)},"decisions":[${documents.join(',')}],"parts":{${partFields.join(',')}}}`;
}

export interface SnapshotFile {
  readonly cluster: string;
  readonly writtenAt: string;
  readonly decisions: readonly ReadDecision[];
}

/**
 * Reads a file that `writeSnapshotFile` wrote.
 *
 * @param content - parsed from its JSON
 * @throws UnreadableRecordError - the file is damaged, or of another version
 */
export function readSnapshotFile(content: unknown): SnapshotFile {
  refuseOtherVersions(content);
  const { cluster, writtenAt, decisions, parts } = parseRecord(snapshotFileSchema, content, 'snapshot');
  const readPart = (hash: string): unknown => {
    if (Object.hasOwn(parts, hash)) return parts[hash];
    throw new UnreadableRecordError(`parts.${hash}`, { why: 'is missing' });
  };
  return {
    cluster,
    writtenAt,
    decisions: decisions.map((decision) => readDecision(decision, readPart)),
  };
}
