import { afterAll, expect, it } from 'vitest';
import { dynamoClusterIdentities } from '../../../shared/aws/dynamodb/cluster-identities.ts';
import { dynamoClusterSightings } from '../../../shared/aws/dynamodb/cluster-sightings.ts';
import { dynamoCommits } from '../../../shared/aws/dynamodb/commits.ts';
import { dynamoLearnedSizes } from '../../../shared/aws/dynamodb/learned-sizes.ts';
import {
  dynamoNominations,
  dynamoPoolBackoffs,
  dynamoRegistrationHealths,
  dynamoRollouts,
  dynamoSweepState,
} from '../../../shared/aws/dynamodb/learned-state.ts';
import { dynamoLeases } from '../../../shared/aws/dynamodb/leases.ts';
import { dynamoNodeClaims } from '../../../shared/aws/dynamodb/node-claims/node-claims.ts';
import { dynamoNodeClasses } from '../../../shared/aws/dynamodb/node-classes.ts';
import { dynamoPlanningState } from '../../../shared/aws/dynamodb/planning-state.ts';
import { type DynamoTable, dynamoTable } from '../../../shared/aws/dynamodb/table/dynamo-table.ts';
import { dynamoUnavailableOfferings } from '../../../shared/aws/dynamodb/unavailable-offerings.ts';
import { dynamoWakeUps } from '../../../shared/aws/dynamodb/wake-ups.ts';
import { dynamoCommands, dynamoLaunches } from '../../../shared/aws/dynamodb/work-records.ts';
import { dynamoZonalShifts } from '../../../shared/aws/dynamodb/zonal-shifts.ts';
import { MAX_SHORTAGE_MS } from '../../../shared/model/offerings/shortages.ts';
import { DAY_MS } from '../../../shared/model/time.ts';
import { clusterSightingsContract } from '../../contracts/cluster-registry-contract.ts';
import { commitsContract } from '../../contracts/commits-contract.ts';
import { launchesContract } from '../../contracts/launches-contract.ts';
import { learnedSizesContract } from '../../contracts/learned-sizes-contract.ts';
import {
  nominationsContract,
  poolBackoffsContract,
  registrationHealthsContract,
  rolloutsContract,
  sweepStateContract,
} from '../../contracts/learned-state-contract.ts';
import { leasesContract } from '../../contracts/leases-contract.ts';
import { commandsContract, nodeClaimsContract } from '../../contracts/node-claims-contract.ts';
import { nodeClassesContract } from '../../contracts/node-classes-contract.ts';
import { clusterIdentitiesContract } from '../../contracts/ownership-contract.ts';
import { planningStateContract } from '../../contracts/planning-state-contract.ts';
import { unavailableOfferingsContract } from '../../contracts/unavailable-offerings-contract.ts';
import { wakeUpsContract } from '../../contracts/work-queue-contract.ts';
import { zonalShiftsContract } from '../../contracts/zonal-shifts-contract.ts';
import { NOON } from '../../support/builders.ts';
import { startDynamo } from '../support/local-dynamo.ts';

const dynamo = await startDynamo();
afterAll(() => dynamo.stop());

const aTable = async (): Promise<DynamoTable> =>
  dynamoTable(dynamo.client, { table: await dynamo.createTable(), cluster: 'demo' });

nodeClaimsContract('DynamoDB', async () => dynamoNodeClaims(await aTable()));
commandsContract('DynamoDB', async () => dynamoCommands(await aTable()));
leasesContract('DynamoDB', async () => dynamoLeases(await aTable()));
launchesContract('DynamoDB', async () => dynamoLaunches(await aTable()));
registrationHealthsContract('DynamoDB', async () => dynamoRegistrationHealths(await aTable()));
sweepStateContract('DynamoDB', async () => dynamoSweepState(await aTable()));
planningStateContract('DynamoDB', async () => dynamoPlanningState(await aTable()));
wakeUpsContract('DynamoDB', async () => dynamoWakeUps(await aTable()));
poolBackoffsContract('DynamoDB', async () => dynamoPoolBackoffs(await aTable()));
rolloutsContract('DynamoDB', async () => dynamoRollouts(await aTable()));
clusterSightingsContract('DynamoDB', async () => dynamoClusterSightings(await aTable()));
clusterIdentitiesContract('DynamoDB', async () => dynamoClusterIdentities(await aTable()));
commitsContract('DynamoDB', async () => dynamoCommits(await aTable()));
nodeClassesContract('DynamoDB', async () => dynamoNodeClasses(await aTable()));
nominationsContract('DynamoDB', async () => dynamoNominations(await aTable()));
unavailableOfferingsContract('DynamoDB', async () => dynamoUnavailableOfferings(await aTable()));
learnedSizesContract('DynamoDB', async () => dynamoLearnedSizes(await aTable()));
zonalShiftsContract('DynamoDB', async () => dynamoZonalShifts(await aTable()));

it('never blocks an offering for more than half an hour because of a row of another cluster', async () => {
  const table = await aTable();
  const part = { instanceType: 'm5.large', zone: 'a', capacityType: 'spot' } as const;
  const row = { ...part, times: 1, until: NOON + 30 * DAY_MS, expiresAt: NOON };
  await table.put('UnavailableOffering', 'spot#m5.large#a', row, {});

  expect(await dynamoUnavailableOfferings(table).list(NOON)).toEqual([{ ...part, until: NOON + MAX_SHORTAGE_MS }]);
});
