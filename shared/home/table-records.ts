import { type CallBudget, dynamoCallBudget } from '../aws/call-budget.ts';
import { dynamoCommands } from '../aws/dynamo-commands.ts';
import { dynamoCommits } from '../aws/dynamo-commits.ts';
import { dynamoLaunches } from '../aws/dynamo-launches.ts';
import { dynamoLearnedSizes } from '../aws/dynamo-learned-sizes.ts';
import { dynamoLeases } from '../aws/dynamo-leases.ts';
import { dynamoNodeClaims } from '../aws/dynamo-node-claims.ts';
import { dynamoNodeClasses } from '../aws/dynamo-node-classes.ts';
import { dynamoNominations } from '../aws/dynamo-nominations.ts';
import { dynamoPoolBackoffs } from '../aws/dynamo-pool-backoffs.ts';
import { dynamoRollouts } from '../aws/dynamo-rollouts.ts';
import { dynamoSweepBook } from '../aws/dynamo-sweep-book.ts';
import type { DynamoTable } from '../aws/dynamo-table.ts';
import { dynamoUnavailableOfferings } from '../aws/dynamo-unavailable-offerings.ts';
import { dynamoWakeUps } from '../aws/dynamo-wake-ups.ts';
import { dynamoZonalShifts } from '../aws/dynamo-zonal-shifts.ts';
import { dynamoTemplateUses, type TemplateUses } from '../aws/node-class/template-uses.ts';
import { dynamoTakenCounts, type TakenCounts } from '../aws/taken-counts.ts';
import type { NodeClasses } from '../ports/node-classes.ts';
import type { Ports } from '../ports/ports.ts';
import type { ZonalShifts } from '../ports/zonal-shifts.ts';

/** The ports that keep what was decided and learned. A new kind of record gets its line here. */
export type Records = Pick<
  Ports,
  | 'nodeClaims'
  | 'leases'
  | 'launches'
  | 'commits'
  | 'sweepBook'
  | 'poolBackoffs'
  | 'driftBackoffs'
  | 'rollouts'
  | 'wakeUps'
  | 'commands'
  | 'nominations'
  | 'unavailableOfferings'
  | 'learnedSizes'
> & {
  readonly nodeClasses: NodeClasses;
  readonly templateUses: TemplateUses;
  readonly takenCounts: TakenCounts;
  readonly callBudget: CallBudget;
  readonly zonalShifts: ZonalShifts;
};

/**
 * Records in the cluster's table, which functions and controller share.
 *
 * @param learned - where what is learned of EC2 goes; absent: there too
 */
export const tableRecords = (table: DynamoTable, learned: DynamoTable = table): Records => ({
  nodeClaims: dynamoNodeClaims(table),
  leases: dynamoLeases(table),
  launches: dynamoLaunches(table),
  commits: dynamoCommits(table),
  sweepBook: dynamoSweepBook(table),
  poolBackoffs: dynamoPoolBackoffs(table),
  driftBackoffs: dynamoPoolBackoffs(table, 'DriftBackoff'),
  rollouts: dynamoRollouts(table),
  wakeUps: dynamoWakeUps(table),
  commands: dynamoCommands(table),
  nominations: dynamoNominations(table),
  unavailableOfferings: dynamoUnavailableOfferings(learned),
  learnedSizes: dynamoLearnedSizes(learned),
  nodeClasses: dynamoNodeClasses(table),
  takenCounts: dynamoTakenCounts(table),
  callBudget: dynamoCallBudget(table),
  zonalShifts: dynamoZonalShifts(table),
  templateUses: dynamoTemplateUses(table),
});
