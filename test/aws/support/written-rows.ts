import { SQSClient } from '@aws-sdk/client-sqs';
import { dynamoCapacityUsage } from '../../../shared/aws/dynamodb/capacity-usage.ts';
import { dynamoClusterIdentities } from '../../../shared/aws/dynamodb/cluster-identities.ts';
import { dynamoClusterSightings } from '../../../shared/aws/dynamodb/cluster-sightings.ts';
import { dynamoCommits } from '../../../shared/aws/dynamodb/commits.ts';
import { dynamoInstallations } from '../../../shared/aws/dynamodb/installations.ts';
import { dynamoLearnedSizes } from '../../../shared/aws/dynamodb/learned-sizes.ts';
import {
  dynamoNominations,
  dynamoPoolBackoffs,
  dynamoRegistrationHealths,
  dynamoRollouts,
  dynamoSweepState,
} from '../../../shared/aws/dynamodb/learned-state.ts';
import { dynamoLeases } from '../../../shared/aws/dynamodb/leases.ts';
import { splitClaim, templateSchema } from '../../../shared/aws/dynamodb/node-claims/claim-parts.ts';
import { dynamoContents } from '../../../shared/aws/dynamodb/node-claims/contents.ts';
import { dynamoNodeClaims } from '../../../shared/aws/dynamodb/node-claims/node-claims.ts';
import { dynamoNodeClasses } from '../../../shared/aws/dynamodb/node-classes.ts';
import { dynamoPlanningState } from '../../../shared/aws/dynamodb/planning-state.ts';
import { readRecordSalt } from '../../../shared/aws/dynamodb/record-salt.ts';
import type { DynamoTable } from '../../../shared/aws/dynamodb/table/dynamo-table.ts';
import type { RowKind } from '../../../shared/aws/dynamodb/table/row-kinds.ts';
import { dynamoTemplateUses } from '../../../shared/aws/dynamodb/template-uses.ts';
import { dynamoUnavailableOfferings } from '../../../shared/aws/dynamodb/unavailable-offerings.ts';
import { dynamoWakeUps } from '../../../shared/aws/dynamodb/wake-ups.ts';
import { dynamoCommands, dynamoLaunches } from '../../../shared/aws/dynamodb/work-records.ts';
import { dynamoZonalShifts } from '../../../shared/aws/dynamodb/zonal-shifts.ts';
import { dynamoCallBudget } from '../../../shared/aws/ec2/call-budget.ts';
import { awsPollLoop } from '../../../shared/aws/queues/poll-loop.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { DisruptionCommand } from '../../../shared/model/plans.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import type { Lease } from '../../../shared/ports/records.ts';
import { aPlanningState } from '../../contracts/planning-state-contract.ts';
import { anInstallation } from '../../controllers/webhooks/fake-setup.ts';
import { aLaunch, aNodeClaim, anOffering, NOON } from '../../support/builders.ts';
import { aResolvedClass, aWrittenClass } from '../../support/node-classes.ts';

const LATER = NOON + MINUTE_MS;

export const CLAIM: NodeClaim = aNodeClaim({
  taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }],
  launch: aLaunch(),
  drift: { reason: 'AMIDrift', text: 'image is ami-1', since: NOON },
  waitsFor: {
    condition: 'Registered',
    status: 'False',
    reason: 'NodeNotFound',
    message: '-',
    since: NOON,
  },
  shortfall: { text: 'expected 8Gi of memory, found 4Gi (50.0 %)', since: NOON },
});

export const COMMAND: DisruptionCommand = {
  id: 'd-1',
  reason: 'Drifted',
  decidedAt: NOON,
  candidates: ['general-1'],
  replacements: [{ claim: CLAIM, pods: ['default/a'], cheapest: anOffering() }],
  placements: [{ target: 'node-2', pods: ['default/b'] }],
  savingHourlyUsd: 0,
};

const LEASE: Lease = { role: 'commit', holder: 'a', fence: 1, until: LATER };
// The digits of a root do not repeat, so even compressed they need more than one row.
const ENDLESS = Array.from({ length: 60_000 }, (_, n) => Math.sqrt(n + 2).toString(36)).join('');

/** A row that a port writes, and a comparable value that it reads from it. */
interface Written {
  write(table: DynamoTable): Promise<unknown>;
  read(table: DynamoTable): Promise<unknown>;
}

const pollLoop = (table: DynamoTable) =>
  awsPollLoop({ table, sqs: new SQSClient({ region: 'us-east-1' }), clock: { now: () => NOON } }, '');

/** One row of each kind with its read value. A kind without an entry does not compile. */
export const ROWS: { readonly [K in RowKind]: Written } = {
  Claim: {
    write: (table) => dynamoNodeClaims(table).save(CLAIM, 0),
    read: (table) => dynamoNodeClaims(table).list(),
  },
  EndedClaim: {
    write: (table) => dynamoNodeClaims(table).save({ ...CLAIM, terminatedAt: NOON }, 0),
    read: (table) => dynamoNodeClaims(table).find('general-1'),
  },
  ClaimContent: {
    write: (table) => {
      const contents = dynamoContents(table, templateSchema, () => NOON);
      return contents.store(splitClaim(CLAIM).template);
    },
    read: async (table) => {
      const contents = dynamoContents(table, templateSchema, () => NOON);
      const hash = await contents.store(splitClaim(CLAIM).template);
      return [...(await contents.load([hash])).values()];
    },
  },
  ClaimLookup: {
    write: (table) => dynamoNodeClaims(table).save({ ...CLAIM, nodeName: 'node-1' }, 0),
    read: async (table) => [
      await dynamoNodeClaims(table).findByInstance('i-node-1'),
      await dynamoNodeClaims(table).findByNode('node-1'),
    ],
  },
  Command: {
    write: (table) => dynamoCommands(table).add(COMMAND),
    read: (table) => dynamoCommands(table).list(),
  },
  Nomination: {
    write: (table) => dynamoNominations(table).nominate(['node-1'], LATER),
    read: (table) => dynamoNominations(table).list(NOON),
  },
  UnavailableOffering: {
    write: (table) => dynamoUnavailableOfferings(table).mark([{ capacityType: 'spot' }], NOON),
    read: (table) => dynamoUnavailableOfferings(table).list(NOON),
  },
  LearnedSize: {
    write: (table) =>
      dynamoLearnedSizes(table).learn(
        {
          instanceType: 't3.medium',
          imageId: 'ami-1',
          setup: 'a',
          capacity: { memory: 4 },
          allocatable: { memory: 3 },
        },
        NOON,
      ),
    read: (table) => dynamoLearnedSizes(table).list(NOON),
  },
  NodeClass: {
    write: (table) =>
      dynamoNodeClasses(table).save(aResolvedClass({ written: aWrittenClass({ kubelet: { maxPods: 42 } }) })),
    read: (table) => dynamoNodeClasses(table).list(),
  },
  LaunchTemplate: {
    write: (table) => dynamoTemplateUses(table).add('lt-1', LATER),
    read: async (table) => [
      await dynamoTemplateUses(table).until('lt-1', NOON),
      ...(await dynamoTemplateUses(table).list(NOON)),
    ],
  },
  Sighting: {
    write: (table) =>
      dynamoClusterSightings(table).write({
        arn: 'arn:aws:eks:eu-west-1:123456789012:cluster/demo',
        missing: { since: NOON, lastAt: LATER },
      }),
    read: async (table) => [await dynamoClusterSightings(table).read()],
  },
  Taken: {
    write: (table) =>
      dynamoCapacityUsage(table).put({
        launch: 'p-1',
        at: NOON,
        counts: { 'subnet-1': 3 },
        exhausted: ['cr-1'],
      }),
    read: (table) => dynamoCapacityUsage(table).list(NOON),
  },
  CallBudget: {
    write: (table) => dynamoCallBudget(table).empty(NOON),
    read: async (table) => [await dynamoCallBudget(table).take(NOON)],
  },
  Launch: {
    write: (table) =>
      dynamoLaunches(table).save(
        {
          id: 'p-1-0',
          attempt: 1,
          claims: ['general-1'],
          calledAt: NOON,
          launches: { 'general-1': aLaunch() },
        },
        0,
      ),
    read: (table) => dynamoLaunches(table).list(),
  },
  Lease: {
    write: (table) => dynamoLeases(table).acquire('commit', { holder: 'a', now: NOON, forMs: MINUTE_MS }),
    // Another function finds the lease taken now, and free after its end.
    read: async (table) => [
      await dynamoLeases(table).acquire('commit', { holder: 'b', now: NOON, forMs: 1 }),
      await dynamoLeases(table).acquire('commit', {
        holder: 'b',
        now: NOON + 2 * MINUTE_MS,
        forMs: 1,
      }),
    ],
  },
  Commit: {
    write: (table) => dynamoCommits(table).add({ id: 'p-1', claims: [CLAIM], command: COMMAND }, 0, LEASE),
    read: (table) => dynamoCommits(table).latest(),
  },
  CommitPart: {
    write: (table) =>
      dynamoCommits(table).add({ id: 'p-1', claims: [{ ...CLAIM, annotations: { note: ENDLESS } }] }, 0, LEASE),
    read: (table) => dynamoCommits(table).latest(),
  },
  Sweep: {
    write: (table) => dynamoSweepState(table).write({ tableSince: NOON, unexplained: { 'i-1': NOON } }),
    read: (table) => dynamoSweepState(table).read(),
  },
  Planning: {
    write: (table) => dynamoPlanningState(table).save('provisioning', aPlanningState(), 0),
    read: (table) => dynamoPlanningState(table).find('provisioning'),
  },
  Identity: {
    write: (table) => dynamoClusterIdentities(table).remember({ certificateAuthority: 'CA' }),
    read: (table) => dynamoClusterIdentities(table).remember({ certificateAuthority: 'other' }),
  },
  RecordSalt: {
    write: readRecordSalt,
    // Each table has another one.
    read: async (table) => ({ digits: (await readRecordSalt(table)).length }),
  },
  PoolBackoff: {
    write: (table) => dynamoPoolBackoffs(table).save('registration', { pool: 'general', failures: 1, until: LATER }),
    read: (table) => dynamoPoolBackoffs(table).list('registration'),
  },
  RegistrationHealth: {
    write: (table) =>
      dynamoRegistrationHealths(table).record(
        { name: 'general', uid: 'uid-general', generation: 2, nodeClassGeneration: 1 },
        { outcome: 'failed', reason: 'RegistrationFailed', message: 'Failed to register node' },
        NOON,
      ),
    read: (table) => dynamoRegistrationHealths(table).list(),
  },
  LaunchBackoff: {
    write: (table) =>
      dynamoPoolBackoffs(table).save('launch', {
        pool: 'general',
        failures: 1,
        failedAt: NOON,
        until: LATER,
        message: 'VCPULimitExceeded: the quota is used up',
      }),
    read: (table) => dynamoPoolBackoffs(table).list('launch'),
  },
  PlacementBackoff: {
    write: (table) =>
      dynamoPoolBackoffs(table).save('placement', {
        pool: 'general',
        owner: 'uid-1',
        failures: 1,
        failedAt: NOON,
        until: LATER,
      }),
    read: (table) => dynamoPoolBackoffs(table).list('placement'),
  },
  DriftBackoff: {
    write: (table) =>
      dynamoPoolBackoffs(table).save('drift', {
        pool: 'general',
        failures: 1,
        until: LATER,
      }),
    read: (table) => dynamoPoolBackoffs(table).list('drift'),
  },
  StoppedRollout: {
    write: (table) =>
      dynamoRollouts(table).stop({
        nodeClass: 'default',
        version: 'ami-1/a',
        claim: 'general-1',
        why: '-',
        at: NOON,
      }),
    read: (table) => dynamoRollouts(table).list(),
  },
  WakeUp: {
    write: (table) => dynamoWakeUps(table).save('general-1', { generation: 1, at: NOON }),
    read: async (table) => [await dynamoWakeUps(table).find('general-1')],
  },
  Installation: {
    write: (table) => dynamoInstallations(table).save(anInstallation()),
    read: async (table) => [await dynamoInstallations(table).find()],
  },
  ZonalShift: {
    write: (table) => dynamoZonalShifts(table).replace([{ zone: 'us-east-1a', zoneId: 'use1-az1', until: LATER }]),
    read: (table) => dynamoZonalShifts(table).list(NOON),
  },
  Poll: {
    write: (table) => pollLoop(table).replace({ generation: 1, turn: 1, at: NOON, until: LATER }, undefined),
    read: async (table) => [await pollLoop(table).find()],
  },
};
