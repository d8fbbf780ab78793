import { afterAll, expect, it } from 'vitest';
import { dynamoTable } from '../../../../shared/aws/dynamodb/table/dynamo-table.ts';
import { dynamoUnavailableOfferings } from '../../../../shared/aws/dynamodb/unavailable-offerings.ts';
import { dynamoZonalShifts } from '../../../../shared/aws/dynamodb/zonal-shifts.ts';
import { arcShiftSource } from '../../../../shared/aws/eks/arc-zonal-shifts.ts';
import { reconcileZonalShifts } from '../../../../shared/controllers/zonal-shift/reconcile.ts';
import { withShiftedZones } from '../../../../shared/controllers/zonal-shift/shifted-zones.ts';
import { memoryNodeClasses } from '../../../../shared/memory/records.ts';
import { HOUR_MS } from '../../../../shared/model/time.ts';
import { aFakeWorld } from '../../../controllers/support/fake-ports.ts';
import { aNodeClaim, NOON, ZONES } from '../../../support/builders.ts';
import { launchOne } from '../../../support/launch-one.ts';
import { aResolvedClass } from '../../../support/node-classes.ts';
import { startArc } from '../../support/local-arc.ts';
import { startDynamo } from '../../support/local-dynamo.ts';
import { aCloud, ONLY_ON_DEMAND } from '../cloud.ts';

const CLUSTER = 'arn:aws:eks:us-east-1:123456789012:cluster/demo';
const KEYS = { accessKeyId: 'AKID', secretAccessKey: 'secret' };
const dynamo = await startDynamo();
const arc = await startArc(CLUSTER);
afterAll(() => Promise.all([dynamo.stop(), arc.stop()]));

it('a zonal shift in ARC keeps the launches of another function out of its zone until it ends', async () => {
  const table = { table: await dynamo.createTable(), cluster: 'demo' };
  const asking = dynamoTable(dynamo.client, table);
  const launching = dynamoTable(dynamo.client, table);
  const subnets = ZONES.map((zone, at) => ({
    ...{ id: `subnet-${at}`, zone, zoneId: `use1-az${at + 1}`, freeAddresses: 100 },
  }));
  const nodeClasses = memoryNodeClasses();
  await nodeClasses.save(aResolvedClass({ subnets }));
  const { endpoint } = arc;
  const source = arcShiftSource({ region: 'us-east-1', clusterArn: CLUSTER, endpoint }, async () => KEYS);
  const sweep = {
    ...aFakeWorld().ports,
    nodeClasses,
    zonalShifts: dynamoZonalShifts(asking),
    shiftSource: source,
  };
  const zoneLaunchedIn = async () => {
    const offerings = withShiftedZones(dynamoUnavailableOfferings(launching), dynamoZonalShifts(launching));
    const { cloud } = aCloud(undefined, {
      unavailable: await offerings.list(NOON),
      resolved: { subnets },
    });
    const outcome = await launchOne(cloud, aNodeClaim({ requirements: [ONLY_ON_DEMAND] }));
    return outcome.outcome === 'launched' ? outcome.launch.zone : undefined;
  };

  expect(await zoneLaunchedIn()).toBe(ZONES[0]);

  arc.shift('use1-az1', NOON + HOUR_MS);
  await reconcileZonalShifts(sweep);
  expect(await zoneLaunchedIn()).toBe(ZONES[1]);

  arc.end('use1-az1');
  await reconcileZonalShifts(sweep);
  expect(await zoneLaunchedIn()).toBe(ZONES[0]);
});
