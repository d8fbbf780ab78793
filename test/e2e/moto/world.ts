import { dynamoTable } from '../../../shared/aws/dynamodb/table/dynamo-table.ts';
import { awsNodeClassResources } from '../../../shared/aws/node-class/class-resources.ts';
import { createLaunchTemplates } from '../../../shared/aws/node-class/launch-templates.ts';
import { createCloud } from '../../../shared/composition/cloud.ts';
import { createTableRecords, type TableRecords } from '../../../shared/composition/records.ts';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import { memoryNodeClaims } from '../../../shared/memory/node-claims.ts';
import { StaleObjectError } from '../../../shared/model/errors.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { NodeClassObject } from '../../../shared/ports/node-classes.ts';
import type { ClassPorts, Ports } from '../../../shared/ports/ports.ts';
import { type LocalDynamo, startDynamo } from '../../aws/support/local-dynamo.ts';
import { aFakeWorld, type FakeWorld } from '../../controllers/support/fake-ports.ts';
import { CLUSTER_FACTS } from '../../support/node-classes.ts';
import { REGION } from '../lab/aws/emulators.ts';
import { type Account, CLUSTER } from './account.ts';

/** Our controllers over the account, with their records in a table and a cluster double. */
export interface MotoWorld {
  readonly fake: FakeWorld;
  readonly ports: Ports & { readonly classes: ClassPorts };
  readonly records: TableRecords;
  /** The EC2NodeClasses in the API server, by name. */
  readonly classObjects: Map<string, NodeClassObject>;
  claims(): Promise<readonly NodeClaim[]>;
  end(): Promise<void>;
}

export async function createWorld(account: Account): Promise<MotoWorld> {
  const dynamo: LocalDynamo = await startDynamo();
  const table = dynamoTable(dynamo.client, {
    table: await dynamo.createTable(),
    cluster: CLUSTER,
  });
  // The local DynamoDB takes seconds to list a thousand claims, which each reconciliation does, so
  // claims are kept in memory.
  const real = createTableRecords(table);
  const records = {
    ...real,
    nodeClaims: memoryNodeClaims(),
    callBudget: withoutWaiting(real.callBudget),
  };
  const fake = aFakeWorld();
  fake.now = Date.now();
  const classObjects = new Map<string, NodeClassObject>();
  const { clock } = fake.ports;
  const { ec2, iam, ssm } = account;
  const uses = records.templateUses;

  const ports = {
    ...fake.ports,
    ...records,
    cloud: createCloud({ ...records, ec2, clock, log: () => undefined }, { cluster: CLUSTER, region: REGION }),
    classes: {
      records: records.nodeClasses,
      objects: objectsIn(classObjects),
      resources: awsNodeClassResources(
        {
          ec2,
          iam,
          ssm,
          uses,
          templates: createLaunchTemplates({ ec2, clock, uses }, { region: REGION }),
        },
        { cluster: CLUSTER, region: REGION },
      ),
      facts: async () => CLUSTER_FACTS,
    },
  };
  return {
    fake,
    ports,
    records,
    classObjects,
    claims: async () => (await records.nodeClaims.list()).records.map(({ claim }) => claim),
    end: () => dynamo.stop(),
  };
}

/** The run's clock does not advance by itself, so calls are never told to wait. */
const withoutWaiting = (budget: TableRecords['callBudget']): TableRecords['callBudget'] => ({
  ...budget,
  async take(now) {
    await budget.take(now);
    return 0;
  },
});

/** A double of the API server for EC2NodeClasses. */
function objectsIn(objects: Map<string, NodeClassObject>): ClassPorts['objects'] {
  const current = (object: NodeClassObject): NodeClassObject => {
    const stored = objects.get(object.name);
    if (stored?.resourceVersion !== object.resourceVersion) throw new StaleObjectError(object.name);
    return stored;
  };
  const store = (object: NodeClassObject): NodeClassObject => {
    const resourceVersion = `${Number(object.resourceVersion) + 1}`;
    const next = { ...object, resourceVersion };
    if (next.isDeleting && next.finalizers.length === 0) objects.delete(next.name);
    else objects.set(next.name, next);
    return next;
  };
  return {
    list: async () => [...objects.values()],
    async change(object, { annotations, finalizers }) {
      const before = current(object);
      return store({
        ...before,
        annotations: { ...before.annotations, ...annotations },
        finalizers: finalizers ?? before.finalizers,
      });
    },
    async writeStatus(object, { conditions }, now) {
      const shown = conditions.map((condition) => ({ ...condition, since: now }));
      store({ ...current(object), conditions: shown, observedGeneration: object.generation });
    },
  };
}

const MAX_ROUNDS = 2_000;
/** Number of hints that a function receives at once. */
const BATCH_SIZE = 50;
const REDELIVERED_AFTER_MS = 20_000;

/** Processes hints when they are due, on a clock that jumps to the next one. */
export async function processHints({ fake, ports }: MotoWorld, isOver: () => Promise<boolean>): Promise<number> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (await isOver()) return round;
    const { sent } = fake;
    const next = Math.min(...sent.map(({ at }) => at));
    if (!Number.isFinite(next)) throw new Error('nobody is to look, and there is work left');
    fake.now = Math.max(fake.now, next);
    const due = sent.filter(({ at }) => at <= fake.now).slice(0, BATCH_SIZE);
    sent.splice(0, sent.length, ...sent.filter((entry) => !due.includes(entry)));
    const names = new Set(due.flatMap(({ hint }) => (hint.topic === 'claim' ? hint.claim : [])));
    await Promise.all([...names].map((name) => reconcileClaim(ports, fake, name)));
  }
  throw new Error(`not over after ${MAX_ROUNDS} rounds`);
}

/**
 * Reconciles one claim. A failed message is delivered again. A claim that only waits for its node
 * is dropped.
 */
async function reconcileClaim(ports: Ports, { sent, now }: FakeWorld, claim: string): Promise<void> {
  const stored = await ports.nodeClaims.find(claim);
  if (!stored || stored.claim.launch || stored.claim.terminatedAt !== undefined) return;
  try {
    await reconcileNodeClaim(ports, claim);
  } catch {
    sent.push({ hint: { topic: 'claim', claim }, at: now + REDELIVERED_AFTER_MS });
  }
}

/** The figures of a stage, printed as JSON. */
type StageReport = Readonly<Record<string, unknown>>;

/** One stage of the run; throws if a check fails. */
export type Stage = (world: MotoWorld, account: Account) => Promise<StageReport>;
