import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { formatInstant } from '../../shared/model/time.ts';
import type { Confirmation, Decision } from '../../shared/ports/decision-log.ts';
import { writeSnapshotFile } from '../../shared/record/snapshot-file.ts';
import { VERSION } from '../version.ts';

/** Returns the content of a snapshot file. */
export async function packSnapshot(
  decisions: readonly (Decision | Confirmation)[],
  cluster: string,
  writtenAt: number,
): Promise<Buffer> {
  const json = await writeSnapshotFile(decisions, { cluster, release: VERSION, writtenAt });
  return await promisify(gzip)(json);
}

/** `shop-20261121T143208Z.snapshot.json.gz`. */
export const nameSnapshot = (cluster: string, now: number): string =>
  `${cluster.replaceAll(/[^\w.-]/g, '-')}-${formatInstant(now).replaceAll(/[-:]/g, '')}.snapshot.json.gz`;
