import { type CapacityUsageStore, dynamoCapacityUsage } from '../aws/dynamodb/capacity-usage.ts';
import { dynamoCommits } from '../aws/dynamodb/commits.ts';
import { dynamoLearnedSizes } from '../aws/dynamodb/learned-sizes.ts';
import {
  dynamoNominations,
  dynamoPoolBackoffs,
  dynamoRegistrationHealths,
  dynamoRollouts,
  dynamoSweepState,
} from '../aws/dynamodb/learned-state.ts';
import { dynamoLeases } from '../aws/dynamodb/leases.ts';
import { dynamoNodeClaims } from '../aws/dynamodb/node-claims/node-claims.ts';
import { dynamoNodeClasses } from '../aws/dynamodb/node-classes.ts';
import { dynamoPlanningState } from '../aws/dynamodb/planning-state.ts';
import type { DynamoTable } from '../aws/dynamodb/table/dynamo-table.ts';
import { dynamoTemplateUses, type TemplateUses } from '../aws/dynamodb/template-uses.ts';
import { dynamoUnavailableOfferings } from '../aws/dynamodb/unavailable-offerings.ts';
import { dynamoWakeUps } from '../aws/dynamodb/wake-ups.ts';
import { dynamoCommands, dynamoLaunches } from '../aws/dynamodb/work-records.ts';
import { dynamoZonalShifts } from '../aws/dynamodb/zonal-shifts.ts';
import { type CallBudget, dynamoCallBudget } from '../aws/ec2/call-budget.ts';
import { withShiftedZones } from '../controllers/zonal-shift/shifted-zones.ts';
import type { ZonalShifts } from '../ports/cloud.ts';
import type { NodeClasses } from '../ports/node-classes.ts';
import type { Ports } from '../ports/ports.ts';
import type { StackSettings } from './settings.ts';

/** The ports that store decisions and learned state. Add a new kind of record here. */
export type TableRecords = Pick<
  Ports,
  | 'nodeClaims'
  | 'leases'
  | 'launches'
  | 'commits'
  | 'sweepState'
  | 'planningState'
  | 'poolBackoffs'
  | 'registrationHealths'
  | 'rollouts'
  | 'wakeUps'
  | 'commands'
  | 'nominations'
  | 'unavailableOfferings'
  | 'learnedSizes'
> & {
  readonly nodeClasses: NodeClasses;
  readonly templateUses: TemplateUses;
  readonly capacityUsage: CapacityUsageStore;
  readonly callBudget: CallBudget;
  readonly zonalShifts: ZonalShifts;
};

/**
 * Builds the records of the cluster's DynamoDB table, which Lambda functions and controller share.
 *
 * @param learned - the table for unavailable offerings and learned sizes; defaults to `table`
 */
export const createTableRecords = (table: DynamoTable, learned: DynamoTable = table): TableRecords => ({
  nodeClaims: dynamoNodeClaims(table),
  leases: dynamoLeases(table),
  launches: dynamoLaunches(table),
  commits: dynamoCommits(table),
  sweepState: dynamoSweepState(table),
  planningState: dynamoPlanningState(table),
  poolBackoffs: dynamoPoolBackoffs(table),
  registrationHealths: dynamoRegistrationHealths(table),
  rollouts: dynamoRollouts(table),
  wakeUps: dynamoWakeUps(table),
  commands: dynamoCommands(table),
  nominations: dynamoNominations(table),
  unavailableOfferings: dynamoUnavailableOfferings(learned),
  learnedSizes: dynamoLearnedSizes(learned),
  nodeClasses: dynamoNodeClasses(table),
  capacityUsage: dynamoCapacityUsage(table),
  callBudget: dynamoCallBudget(table),
  zonalShifts: dynamoZonalShifts(table),
  templateUses: dynamoTemplateUses(table),
});

type RecordsWithShifts = Omit<TableRecords, 'zonalShifts'> & { readonly zonalShifts?: ZonalShifts };

/**
 * Adds zonal shifts to the records, if the process follows them: shifted zones then count as
 * unavailable.
 */
export function withZonalShifts(
  records: TableRecords,
  { followsShifts = false }: Pick<StackSettings, 'followsShifts'>,
): RecordsWithShifts {
  const { zonalShifts, ...others } = records;
  if (!followsShifts) return others;
  const unavailableOfferings = withShiftedZones(others.unavailableOfferings, zonalShifts);
  return { ...others, zonalShifts, unavailableOfferings };
}
