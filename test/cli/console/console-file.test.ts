import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { decideDisruption } from '../../../shared/controllers/disruption/decide-disruption.ts';
import { writeSnapshotFile } from '../../../shared/record/snapshot-file.ts';
import { POD_CASES } from '../../explain/pod-cases.ts';
import { aFolder } from '../call.ts';
import { START_TIMEOUT, startProcess } from '../start-process.ts';

const stateSchema = z.looseObject({
  info: z.looseObject({ source: z.string(), cluster: z.string() }),
  pods: z.array(z.looseObject({ key: z.string() })),
});

/** A file with the decision about one cluster. */
async function aSnapshotFile(): Promise<string> {
  const snapshot = POD_CASES.find(({ title }) => title === 'limit')?.snapshot;
  if (!snapshot) throw new Error('no case of a limit');
  const input = { kind: 'disruption', snapshot, running: [] } as const;
  const [id, at] = ['d-20260101T120000Z-4k7q', snapshot.takenAt];
  const decision = {
    kind: 'disruption',
    id,
    at,
    input,
    plan: decideDisruption(input, id),
  } as const;
  const file = await writeSnapshotFile([decision], {
    ...{ cluster: 'shop', release: '0.1.0', writtenAt: at },
  });
  return join(await aFolder({ 'shop.json': file }), 'shop.json');
}

describe('mortise console --from', { timeout: 150_000 }, () => {
  it('shows the cluster of a snapshot file until it is stopped', async () => {
    const argv = ['console', '--from', await aSnapshotFile(), '--port', '0'];
    const running = startProcess(argv);
    const { written } = running;
    await vi.waitFor(() => expect(written.stdout).toMatch(/^Console: \S+\n/), START_TIMEOUT);
    const url = written.stdout.slice('Console: '.length).trim();

    const state = stateSchema.parse(await (await fetch(new URL('/api/state', url))).json());
    expect(state.info).toMatchObject({ source: 'snapshot', cluster: 'shop' });
    expect(state.pods.map(({ key }) => key)).toContain('default/web-7c9-x');

    running.child.kill('SIGTERM');
    expect((await running.ended()).code).toBe(0);
    await expect(fetch(url)).rejects.toThrow();
  });
});
