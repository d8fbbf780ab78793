import type { NodeClaim } from '../../../model/nodes/node-claim.ts';
import { DAY_MS } from '../../../model/time.ts';
import type {
  ListOptions,
  RecordList,
  RecordVersion,
  StoredNodeClaim,
  UnreadableRecord,
} from '../../../ports/records.ts';
import type { RowKind } from '../table/row-kinds.ts';

/**
 * How long the sweep can tell an instance that outlived its claim from an instance of another
 * owner.
 */
export const KEPT_AFTER_TERMINATION_MS = 7 * DAY_MS;

/** Claims in one of the two layouts. */
export interface ClaimRows {
  find(name: string): Promise<StoredNodeClaim | undefined>;
  /** The version of the row under the name, also that of a terminated claim. */
  findVersion(name: string): Promise<RecordVersion | undefined>;
  /** The claims that are not terminated. */
  list(options: ListOptions): Promise<RecordList<StoredNodeClaim>>;
  /**
   * @returns false if the row does not have that version
   */
  save(claim: NodeClaim, readVersion: RecordVersion): Promise<boolean>;
  /**
   * Stores the claim here and removes its row in the other layout, in one transaction.
   *
   * @returns false if the other row changed, or there is a row here already
   */
  takeOver(claim: NodeClaim, from: OtherRow): Promise<boolean>;
}

export interface OtherRow {
  readonly kind: Extract<RowKind, 'Claim' | 'NodeClaim'>;
  readonly version: RecordVersion;
}

export const toRecordList = (
  claims: readonly StoredNodeClaim[],
  unreadable: readonly UnreadableRecord[],
): RecordList<StoredNodeClaim> =>
  unreadable.length > 0 ? Object.assign([...claims], { unreadable }) : claims;
