import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { replayDecision } from '../../cli/record/replay-decision.ts';
import { readSnapshotFile } from '../../shared/record/snapshot-file.ts';

/** One file per release: `<release>.snapshot.json.gz`. Files are added, never written again. */
const RELEASES = fileURLToPath(new URL('releases/', import.meta.url));
const files = await readdir(RELEASES);

describe('a snapshot file of an earlier release', () => {
  it('exists for the first release of the format', () => {
    expect(files).toContain('0.1.0.snapshot.json.gz');
  });

  it.each(files)('%s can be read, and its decisions replay byte for byte', async (file) => {
    const text = gunzipSync(await readFile(`${RELEASES}/${file}`)).toString('utf8');
    const { decisions } = readSnapshotFile(JSON.parse(text));
    const kinds = new Set(decisions.map(({ kind }) => kind));
    const different = decisions
      .map((decision) => replayDecision(decision, decision.input))
      .filter(({ equal }) => !equal);

    expect([...kinds].toSorted()).toEqual(['confirmation', 'disruption', 'provisioning']);
    expect(different.map(({ id, difference }) => [id, difference])).toEqual([]);
  });
});
