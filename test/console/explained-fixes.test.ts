import { describe, expect, it } from 'vitest';
import type { ModelFrame } from '../../console/model-feed.ts';
import { createModelSource } from '../../console/model-source.ts';
import { NODE_CASES } from '../explain/node-cases.ts';
import { POD_CASES } from '../explain/pod-cases.ts';

function aSource(frame: ModelFrame) {
  return createModelSource({
    info: { source: 'live', cluster: 'shop', region: 'us-east-1' },
    clock: () => ({ now: frame.snapshot.takenAt, speed: 1, paused: false }),
    observe: async () => frame,
    decisions: () => [],
    events: () => [],
    onChange: () => () => undefined,
    waitsMs: () => [],
  });
}

const CASES = [...POD_CASES, ...NODE_CASES].flatMap(({ title, snapshot, subject: { kind, name } }) =>
  kind === 'pod' || kind === 'node' ? [{ title, snapshot, object: { kind, name } }] : [],
);

describe('the page', () => {
  it('proposes a limit that is high enough for all waiting pods of a workload', async () => {
    const one = POD_CASES.find(({ title }) => title === 'limit');
    const pod = one?.snapshot.pods.find(({ name }) => name === 'web-7c9-x');
    if (!one || !pod) throw new Error('no case of a limit');
    const owner = { kind: 'ReplicaSet', name: 'web-7c9', uid: 'rs-web' };
    const pods = Array.from({ length: 5 }, (_, index) => ({
      ...pod,
      owner,
      ...(index > 0 && { name: `web-7c9-${index}`, uid: `web-${index}` }),
    }));
    const source = aSource({ snapshot: { ...one.snapshot, pods }, commands: [] });
    const { fixes = [] } = (await source.explain({ kind: 'pod', name: 'default/web-7c9-x' })) ?? {};
    const manifest = fixes.find(({ text }) => text.startsWith('raise limits.cpu'))?.manifest;

    const result = await source.whatIf({ yaml: manifest ?? '' });
    expect(result).toMatchObject({ outcome: 'planned' });
    const rows = result.outcome === 'planned' ? result.rows : [];
    expect(rows.find(({ label }) => label === 'Pods pending')?.changed).toBe('0');
  });

  it('plans with the manifest of a changed NodePool what the fix promises', async () => {
    const tried = [];
    for (const { snapshot, object } of CASES) {
      const source = aSource({ snapshot, commands: [] });
      const { fixes = [] } = (await source.explain(object)) ?? {};
      for (const { text, manifest } of fixes) {
        if (manifest === undefined) continue;
        const result = await source.whatIf({ yaml: manifest });
        tried.push({ text, outcome: result.outcome });
      }
    }

    expect(tried.length).toBeGreaterThan(5);
    expect(tried.filter(({ outcome }) => outcome !== 'planned')).toEqual([]);
  });

  it('plans with the change of a pod, its owner or a budget what the fix promises', async () => {
    const tried = [];
    for (const { snapshot, object } of CASES) {
      const source = aSource({ snapshot, commands: [] });
      const { fixes = [] } = (await source.explain(object)) ?? {};
      for (const { id, text, isTriable } of fixes) {
        if (!isTriable) continue;
        const result = await source.whatIf({ fix: { object, id } });
        const lines = result.outcome === 'planned' ? result.parts : [];
        // Another reason keeps the node after the change.
        const isHalf = text.includes('; then: ');
        const helps =
          object.kind === 'node'
            ? isHalf || lines.some(({ title }) => title === 'Nodes gone')
            : !lines.some(({ title }) => title === 'Pods left pending');
        tried.push({ text, outcome: result.outcome, helps });
      }
    }

    expect(tried.length).toBeGreaterThan(4);
    expect(tried.filter(({ outcome, helps }) => outcome !== 'planned' || !helps)).toEqual([]);
  });

  it('refuses a change that is not proposed any more', async () => {
    const [one] = CASES;
    if (!one) throw new Error('no case');
    const source = aSource({ snapshot: one.snapshot, commands: [] });
    const fix = { object: one.object, id: 'run-fewer-pods' };
    const result = await source.whatIf({ fix });
    const faults = result.outcome === 'refused' ? result.faults : [];
    expect(faults.map(({ text }) => text)).toEqual([
      'The proposed change does not apply to this snapshot any more. Open the answer again.',
    ]);
  });

  it('proposes no change of NodePools that do not exist', async () => {
    const [one] = CASES;
    if (!one) throw new Error('no case');
    const { snapshot, object } = one;
    const frame = { snapshot, commands: [], assumed: snapshot };

    expect((await aSource(frame).explain(object))?.fixes).toEqual([]);
  });
});
