import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { type DynamoTable, dynamoTable, sharedTable } from '../../shared/aws/dynamodb/table/dynamo-table.ts';
import type { ReportUnreadable } from '../../shared/aws/dynamodb/table/read-rows.ts';
import { s3PriceRecordStore } from '../../shared/aws/ec2/prices/s3-price-record-store.ts';
import type { Log } from '../../shared/aws/log.ts';
import { s3DecisionLog } from '../../shared/aws/s3-decision-log.ts';
import { createTableRecords, type TableRecords } from '../../shared/composition/records.ts';
import { createRecordRedaction } from '../../shared/composition/redact-records.ts';
import type { DecisionLog } from '../../shared/ports/decision-log.ts';
import type { AwsFlags } from '../cluster/aws-flags.ts';
import type { DeployedStack } from '../cluster/find-stack.ts';
import { createPriceListReader } from '../cluster/pricing-client.ts';
import { DECIDERS } from '../record/deciders.ts';
import { VERSION } from '../version.ts';
import { createDecisionLogLines } from './decision-log-lines.ts';
import { memoryRecords } from './memory-records.ts';

/** Records decisions as the functions of the stack do, without names if the stack says so. */
export function createDecisionLog(
  stack: DeployedStack | undefined,
  table: DynamoTable | undefined,
  { settings, log }: { readonly settings: AwsFlags; readonly log: Log },
): DecisionLog {
  if (!stack || !table) return createDecisionLogLines(log);
  const { bucket, redactsNames } = stack;
  return s3DecisionLog(new S3Client(settings), {
    ...{ bucket, release: VERSION, log },
    ...(redactsNames && { redact: createRecordRedaction(table, DECIDERS) }),
  });
}

/**
 * The prices that the functions refresh every hour; without a stack this process asks EC2 and the price
 * list API itself.
 */
export const createPriceClients = (
  stack: DeployedStack | undefined,
  settings: AwsFlags & { readonly region: string },
  env: Readonly<Record<string, string | undefined>>,
) =>
  stack
    ? { priceRecords: s3PriceRecordStore(new S3Client(settings), stack.bucket) }
    : createPriceListReader(settings, env);

export function createRecords(
  stack: DeployedStack | undefined,
  cluster: string,
  { settings, act, log }: { readonly settings: AwsFlags; readonly act: boolean; readonly log: Log },
): TableRecords {
  const memory = memoryRecords();
  if (!stack) return memory;
  const report = createUnreadableReport(log);
  const table = openTable(stack, cluster, settings, report);
  const learned = openLearnedTable(stack, settings, report);
  const shared = createTableRecords(table, learned ?? table);
  const { nodeClasses, templateUses } = memory;
  return act ? shared : { ...shared, nodeClasses, templateUses };
}

const openLearnedTable = (
  { learnedTable }: DeployedStack,
  settings: AwsFlags,
  report: ReportUnreadable,
): DynamoTable | undefined =>
  learnedTable === undefined ? undefined : sharedTable(new DynamoDBClient(settings), learnedTable, report);

export const openTable = (
  { table }: DeployedStack,
  cluster: string,
  settings: AwsFlags,
  report?: ReportUnreadable,
): DynamoTable => dynamoTable(new DynamoDBClient(settings), { table, cluster }, report);

/** Logs the key of each row once. */
function createUnreadableReport(log: Log): ReportUnreadable {
  const reported = new Set<string>();
  return (row, cause) => {
    if (reported.has(row)) return;
    reported.add(row);
    log({ level: 'error', message: 'row cannot be read', fields: { row, error: String(cause) } });
  };
}
