import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { isReplayedEqually } from '../../../cli/record/replay-decision.ts';
import { writeSnapshot } from '../../../cli/record/take-snapshot.ts';
import { readSnapshotFile } from '../../../shared/record/snapshot-file.ts';
import { aLivePod, COLLECTIONS } from '../../kubernetes/support/live-objects.ts';
import { aFolder } from '../call.ts';
import { aControllerRuntimeDouble } from '../controller/controller-runtime-double.ts';

const WAITING = {
  metadata: { name: 'web-1', namespace: 'default', uid: 'web-1' },
  spec: {
    containers: [
      {
        name: 'web',
        env: [{ name: 'PASSWORD', value: 'hunter2' }],
        command: ['serve', '--key=hunter2'],
        resources: { requests: { cpu: '1', memory: '1Gi' } },
      },
    ],
  },
  status: {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
  },
};

async function aSnapshotFile(redact: 'none' | 'names' = 'none') {
  const { double, runtime } = await aControllerRuntimeDouble();
  double.put(COLLECTIONS.pods, aLivePod(WAITING));
  const cwd = await aFolder();
  const request = { cluster: 'shop', out: 'shop.json.gz', force: false, redact };
  const take = () => writeSnapshot(runtime('snapshot'), request, { cwd });
  const report = await take();
  const text = gunzipSync(await readFile(join(cwd, report.file))).toString('utf8');
  return { double, report, text, take, snapshot: readSnapshotFile(JSON.parse(text)) };
}

describe('a snapshot of a live cluster', () => {
  it('contains the decisions that Mortise would make, and they replay', async () => {
    const { report, snapshot } = await aSnapshotFile();

    expect(report).toMatchObject({ file: 'shop.json.gz', pods: 1, nodePools: 1 });
    expect(snapshot.cluster).toBe('shop');
    expect(snapshot.decisions.map(({ kind }) => kind)).toContain('disruption');
    expect(snapshot.decisions.filter((decision) => !isReplayedEqually(decision))).toEqual([]);
  });

  it('is taken with reads only', async () => {
    const { double } = await aSnapshotFile();

    expect(double.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('contains neither environment nor commands of pods', async () => {
    const { text } = await aSnapshotFile();

    expect(text).toContain('web-1');
    expect(text).not.toContain('hunter2');
  });

  it('has hashes instead of names if it is redacted, and replays', async () => {
    const { text, snapshot } = await aSnapshotFile('names');
    const [decision] = snapshot.decisions;

    expect(text).not.toContain('web-1');
    expect(text).toContain('"name":"general"');
    expect(decision?.input.snapshot.pods[0]?.name).toMatch(/^x[0-9a-f]{10}$/);
    expect(snapshot.decisions.filter((one) => !isReplayedEqually(one))).toEqual([]);
  });

  it('does not replace a file unless it is forced to', async () => {
    const { take } = await aSnapshotFile();

    await expect(take()).rejects.toThrow('cannot write shop.json.gz');
  });
});
