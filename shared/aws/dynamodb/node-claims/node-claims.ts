import { forEachWithLimit } from '../../../model/concurrency.ts';
import { StaleNodeClaimError } from '../../../model/errors.ts';
import type { NodeClaim } from '../../../model/nodes/node-claim.ts';
import type { EpochMs } from '../../../model/time.ts';
import type { NodeClaims, RecordVersion, StoredNodeClaim } from '../../../ports/records.ts';
import type { DynamoTable } from '../table/dynamo-table.ts';
import { type ClaimRows, type OtherRow, toRecordList } from './claim-rows.ts';
import { compactRows } from './compact-rows.ts';
import { layoutReader } from './layout.ts';
import { dynamoClaimLookups, toInstanceId } from './lookups.ts';
import { wideRows } from './wide-rows.ts';

/** Rows that one call of `migrate` moves, so that it ends within seconds. */
const MAX_MIGRATED = 100;
const MAX_CONCURRENT_MOVES = 8;

/**
 * The claims of a cluster, in two layouts during an update (`layout.ts`).
 *
 * @param now - when contents expire; the time of the machine unless a test gives another
 */
export function dynamoNodeClaims(
  table: DynamoTable,
  now: () => EpochMs = () => Date.now(),
): NodeClaims {
  const wide = wideRows(table);
  const compact = compactRows(table, now);
  const lookups = dynamoClaimLookups(table);
  const readLayout = layoutReader(table, now);
  /** Names of claims that the last list found in the other layout. */
  let misplaced: readonly string[] = [];

  async function readPlaces(): Promise<Places> {
    return (await readLayout()) === 'compact'
      ? { own: compact, other: wide, otherKind: 'NodeClaim' }
      : { own: wide, other: compact, otherKind: 'Claim' };
  }

  async function find(name: string): Promise<StoredNodeClaim | undefined> {
    const { own, other } = await readPlaces();
    // A row that moves between the first two reads is found by the third.
    return (await own.find(name)) ?? (await other.find(name)) ?? own.find(name);
  }

  async function saveRow(claim: NodeClaim, readVersion: RecordVersion): Promise<boolean> {
    const { own, other, otherKind: kind } = await readPlaces();
    if (readVersion === 0 && (await other.findVersion(claim.name)) !== undefined) return false;
    if (await own.save(claim, readVersion)) return true;
    if (readVersion === 0 || (await other.findVersion(claim.name)) !== readVersion) return false;
    return own.takeOver(claim, { kind, version: readVersion });
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
    findByNode: async (node) =>
      findRunning(await lookups.findByNode(node), ({ nodeName }) => nodeName === node),
    async list(options = {}) {
      const { own, other } = await readPlaces();
      // In this order a row that moves to its layout meanwhile is found twice, not missed.
      const others = await other.list(options);
      const owned = await own.list(options);
      const names = new Set(owned.map(({ claim }) => claim.name));
      const strays = others.filter(({ claim }) => !names.has(claim.name));
      misplaced = strays.map(({ claim }) => claim.name);
      const unreadable = [...(owned.unreadable ?? []), ...(others.unreadable ?? [])];
      return toRecordList(strays.length === 0 ? owned : [...owned, ...strays], unreadable);
    },
    async save(claim, readVersion) {
      await lookups.store(claim);
      if (!(await saveRow(claim, readVersion))) throw new StaleNodeClaimError(claim.name);
      if (claim.terminatedAt !== undefined) await lookups.remove(claim);
    },
    async migrate() {
      await compact.renew();
      const names = misplaced.slice(0, MAX_MIGRATED);
      misplaced = misplaced.slice(MAX_MIGRATED);
      const { own, other, otherKind: kind } = await readPlaces();
      await forEachWithLimit(names, MAX_CONCURRENT_MOVES, async (name) => {
        const stored = await other.find(name);
        if (!stored) return;
        await lookups.store(stored.claim);
        // A row that changed meanwhile was moved by its writer, or moves with the next sweep.
        await own.takeOver(stored.claim, { kind, version: stored.version });
      });
      return names.length;
    },
  };
}

interface Places {
  /** The rows in the layout that is written. */
  readonly own: ClaimRows;
  readonly other: ClaimRows;
  readonly otherKind: OtherRow['kind'];
}
