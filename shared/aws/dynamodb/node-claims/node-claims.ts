import * as z from 'zod';
import { StaleNodeClaimError, UnreadableRowError } from '../../../model/errors.ts';
import type { NodeClaim } from '../../../model/nodes/node-claim.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../../model/time.ts';
import type { NodeClaims, RecordVersion, StoredNodeClaim, UnreadableRecord } from '../../../ports/records.ts';
import { ifVersion, toExpiry } from '../table/conditions.ts';
import type { DynamoTable } from '../table/dynamo-table.ts';
import {
  joinClaim,
  type Launched,
  launchedSchema,
  ownSchema,
  splitClaim,
  type Template,
  templateSchema,
} from './claim-parts.ts';
import { dynamoContents } from './contents.ts';
import { dynamoClaimLookups, toInstanceId } from './lookups.ts';

/**
 * How long a terminated claim can be found, so that the sweep can tell an instance that outlived its
 * claim from an instance of another owner.
 */
const KEPT_AFTER_TERMINATION_MS = 14 * DAY_MS;
/**
 * How long the row of a terminated claim keeps its name from being stored again by a process that is
 * late. DynamoDB deletes it at no cost up to two days later.
 */
const NAME_KEPT_MS = HOUR_MS;

const claimSchema = z.object({
  /** The row's key, which names the claim also if its content cannot be read. */
  sk: z.string(),
  /** The claim's own fields, as JSON, which is parsed ten times faster than DynamoDB's maps. */
  own: z.string(),
  /** Hashes of the contents that hold the other fields. */
  template: z.string(),
  launched: z.string().exactOptional(),
  version: z.int(),
});
const endedSchema = z.object({ terminatedAt: z.number(), version: z.int() });
const rowSchema = z.union([claimSchema, endedSchema]);
type ClaimRow = z.output<typeof claimSchema>;
type NewRow = Omit<ClaimRow, 'sk'>;

const isClaim = (row: z.output<typeof rowSchema>): row is ClaimRow => 'own' in row;

/**
 * Claims in rows of less than 1 KB, spread over partitions. A claim that is terminated leaves a row
 * of 100 bytes for an hour; the claim itself stays in an EndedClaim row, which lists never pass.
 *
 * @param now - when contents expire; the time of the machine unless a test gives another
 */
export function dynamoNodeClaims(table: DynamoTable, now: () => EpochMs = () => Date.now()): NodeClaims {
  const lookups = dynamoClaimLookups(table);
  const templates = dynamoContents(table, templateSchema, now);
  const launches = dynamoContents(table, launchedSchema, now);
  // An unchanged row keeps its claim: it need not be parsed again, and decisions cache by object.
  let rowsInUse: readonly ClaimRow[] = [];
  let parsed: ReadonlyMap<string, StoredNodeClaim> = new Map();

  async function toRow(claim: NodeClaim, version: RecordVersion): Promise<NewRow> {
    const { own, template, launched } = splitClaim(claim);
    const [templateHash, launchedHash] = await Promise.all([
      templates.store(template),
      launched && launches.store(launched),
    ]);
    return {
      own: JSON.stringify(own),
      template: templateHash,
      ...(launchedHash !== undefined && { launched: launchedHash }),
      version,
    };
  }

  /** Returns an error in the place of a claim that cannot be read. */
  async function toClaims(rows: readonly ClaimRow[]): Promise<readonly (StoredNodeClaim | UnreadableRowError)[]> {
    const [templateOf, launchedOf] = await Promise.all([
      templates.load(rows.map(({ template }) => template)),
      launches.load(rows.flatMap(({ launched }) => launched ?? [])),
    ]);
    return rows.map((row) => {
      const template = templateOf.get(row.template);
      const launched = row.launched === undefined ? undefined : launchedOf.get(row.launched);
      try {
        return toStored(row, template, launched);
      } catch (cause) {
        return table.refuse('Claim', nameOf(row), cause);
      }
    });
  }

  async function toClaim(row: ClaimRow): Promise<StoredNodeClaim | undefined> {
    const [claim] = await toClaims([row]);
    if (claim instanceof UnreadableRowError) throw claim;
    return claim;
  }

  /** Writes the row before the one that refers to it; a row without a reference is never read. */
  async function saveEnded(claim: NodeClaim, row: NewRow, terminatedAt: EpochMs) {
    const expiresAt = toExpiry(terminatedAt + KEPT_AFTER_TERMINATION_MS);
    await table.put('EndedClaim', claim.name, { ...row, expiresAt }, {});
    const { version } = row;
    return { terminatedAt, version, expiresAt: toExpiry(terminatedAt + NAME_KEPT_MS) };
  }

  async function findEnded(name: string): Promise<StoredNodeClaim | undefined> {
    const row = await table.get('EndedClaim', name, claimSchema);
    return row && toClaim(row);
  }

  async function find(name: string): Promise<StoredNodeClaim | undefined> {
    const row = await table.get('Claim', name, rowSchema);
    if (row && isClaim(row)) return toClaim(row);
    const ended = await findEnded(name);
    // Without a row under its name the claim is not stored any more: the name is free.
    return ended && { ...ended, version: row?.version ?? 0 };
  }

  async function findRunning(
    name: string | undefined,
    matches: (claim: NodeClaim) => boolean,
  ): Promise<StoredNodeClaim | undefined> {
    const stored = name === undefined ? undefined : await find(name);
    const isRunning = stored && stored.claim.terminatedAt === undefined && matches(stored.claim);
    return isRunning ? stored : undefined;
  }

  return {
    find,
    findByInstance: async (instanceId) =>
      findRunning(
        await lookups.findByInstance(instanceId),
        ({ launch }) => launch !== undefined && toInstanceId(launch.providerId) === instanceId,
      ),
    findByNode: async (node) => findRunning(await lookups.findByNode(node), ({ nodeName }) => nodeName === node),
    async list({ isEventual = false } = {}) {
      const listed = await table.listReadable('Claim', claimSchema, {
        FilterExpression: 'attribute_not_exists(terminatedAt)',
        ConsistentRead: !isEventual,
      });
      const rows = listed.records;
      rowsInUse = rows;
      const changed = rows.filter((row) => !parsed.has(keyOf(row)));
      const claims = await toClaims(changed);
      const fresh = new Map(changed.map((row, index) => [keyOf(row), claims[index]]));
      const readable = new Map<string, StoredNodeClaim>();
      const unreadable: UnreadableRecord[] = [...listed.unreadable];
      for (const row of rows) {
        const claim = fresh.get(keyOf(row)) ?? parsed.get(keyOf(row));
        if (claim instanceof UnreadableRowError) {
          unreadable.push({ name: nameOf(row), why: String(claim.cause) });
        } else if (claim) readable.set(keyOf(row), claim);
      }
      parsed = readable;
      return { records: [...readable.values()], unreadable };
    },
    async save(claim, readVersion) {
      await lookups.store(claim);
      const { name, terminatedAt } = claim;
      const row = await toRow(claim, readVersion + 1);
      const stored = terminatedAt === undefined ? row : await saveEnded(claim, row, terminatedAt);
      if (!(await table.put('Claim', name, stored, ifVersion(readVersion)))) throw new StaleNodeClaimError(name);
      if (terminatedAt !== undefined) await lookups.remove(claim);
    },
    async renew() {
      await Promise.all([
        templates.renew(rowsInUse.map(({ template }) => template)),
        launches.renew(rowsInUse.flatMap(({ launched }) => launched ?? [])),
      ]);
    },
  };
}

const KIND_PREFIX = 'Claim#';
const nameOf = ({ sk }: ClaimRow): string => sk.slice(KIND_PREFIX.length);

const keyOf = ({ own, template, launched = '', version }: ClaimRow): string =>
  `${version} ${template} ${launched} ${own}`;

/** @throws Error - the row or one of its contents cannot be read */
function toStored(
  { own, version, template: hash, launched: launchedHash }: ClaimRow,
  template: Template | undefined,
  launched: Launched | undefined,
): StoredNodeClaim {
  const fields = ownSchema.parse(JSON.parse(own));
  if (!template) throw new Error(`its content ${hash} is missing`);
  if (fields.launch && !launched) throw new Error(`its content ${launchedHash} is missing`);
  return { claim: joinClaim(fields, template, launched), version };
}
