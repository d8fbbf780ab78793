import { readRecordSalt } from '../aws/dynamodb/record-salt.ts';
import type { DynamoTable } from '../aws/dynamodb/table/dynamo-table.ts';
import type { RedactDecision } from '../aws/s3-decision-log.ts';
import { createDecisionRedaction, type Deciders } from '../record/redact-decision.ts';

/** Hashes the names in records with the salt of the cluster's table, which is read once. */
export function createRecordRedaction(table: DynamoTable, deciders: Deciders): RedactDecision {
  let redact: ReturnType<typeof createDecisionRedaction> | undefined;
  return async (decision) => {
    redact ??= createDecisionRedaction(await readRecordSalt(table), deciders);
    return redact(decision);
  };
}
