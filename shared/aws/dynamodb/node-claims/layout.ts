/*
 * The layout of claims: how an update to a release with another layout keeps old and new functions
 * working.
 *
 * `wide` is the layout of the previous release (`wide-rows.ts`), `compact` that of this one
 * (`compact-rows.ts`). This release reads claims in both. In which it writes, the Layout row says:
 *
 *     previous release   first set-up of this release          next set-up
 *     writes wide        Layout = wide                         Layout = compact, guard row
 *     ----+-------------------+-------------------------------------+-------------------------> time
 *         |                   |  writes wide: functions of the      |  writes compact; other rows
 *         |                   |  previous release run for minutes,  |  move when they are saved, and
 *         |                   |  and a rollback finds every claim   |  some with each sweep
 *
 * - A new cluster has no previous release: its first set-up writes `compact`.
 * - Without a Layout row claims are written wide.
 * - A row moves in one transaction, so a claim has one row at any time.
 * - The guard row looks like a NodeClaim row of a newer format. A release that knows only wide rows then
 *   launches and removes nothing, instead of taking the table for empty.
 * - To go back to the previous release, write `wide` into the Layout row, wait until the sweep has
 *   moved all rows back, delete the guard row, then deploy.
 *
 * See docs/decisions/0043-store-claims-in-small-rows.md.
 */

import * as z from 'zod';
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../../../model/time.ts';
import { oneOf } from '../../../model-schema/exact-schema.ts';
import type { DynamoTable } from '../table/dynamo-table.ts';

export type ClaimLayout = 'wide' | 'compact';

const rowSchema = z.object({
  claims: oneOf<ClaimLayout>({ wide: 'wide', compact: 'compact' }),
  /** When a set-up of a release that knows both layouts was here first. */
  since: z.number(),
});
const NAME = 'cluster';
/** Sorts after all names of claims, which begin with a letter or digit. */
const GUARD_NAME = '~layout';
/** A function that has not seen a new layout yet writes the old one, which all functions read. */
const CACHED_FOR_MS = MINUTE_MS;

/** Returns the layout in which claims are written. */
export function layoutReader(table: DynamoTable, now: () => EpochMs): () => Promise<ClaimLayout> {
  let cached: { readonly layout: ClaimLayout; readonly until: EpochMs } | undefined;

  return async () => {
    if (cached && cached.until > now()) return cached.layout;
    const layout = (await table.get('Layout', NAME, rowSchema))?.claims ?? 'wide';
    cached = { layout, until: now() + CACHED_FOR_MS };
    return layout;
  };
}

/** A set-up that CloudFormation repeats within this time belongs to the same deployment. */
const MIN_DEPLOYMENT_INTERVAL_MS = HOUR_MS;

/**
 * Chooses the layout at the end of a deployment, when all functions are of this release.
 *
 * @param isNewCluster - no release has been set up for the cluster before
 */
export async function chooseLayout(
  table: DynamoTable,
  { isNewCluster, now }: { readonly isNewCluster: boolean; readonly now: EpochMs },
): Promise<void> {
  const stored = await table.get('Layout', NAME, rowSchema);
  if (stored?.claims === 'compact') return;
  const isNextDeployment = stored !== undefined && now - stored.since >= MIN_DEPLOYMENT_INTERVAL_MS;
  const claims: ClaimLayout = isNewCluster || isNextDeployment ? 'compact' : 'wide';
  if (claims === 'compact') await table.putGuard('NodeClaim', GUARD_NAME);
  if (stored?.claims !== claims) await table.put('Layout', NAME, { claims, since: now }, {});
}
