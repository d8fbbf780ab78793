import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { createSnapshotPacker, type PackedJson } from '../../shared/record/pack-snapshot.ts';
import { packedSnapshotSchema } from '../../shared/record/packed-snapshot-schema.ts';
import { unpackSnapshot } from '../../shared/record/read-decision.ts';
import { aNode, anInitializedClaim, aPodTemplate, aRunningPod, aSnapshot, podsOf } from '../support/builders.ts';

const TEMPLATE = aPodTemplate({ labels: { app: 'web' } });

/** A cluster of ten nodes with thirty pods of one template each. */
function aFleet(): ClusterSnapshot {
  const names = Array.from({ length: 10 }, (_, index) => `node-${index}`);
  return aSnapshot({
    nodes: names.map((name) => aNode({ name })),
    claims: names.map((name) => anInitializedClaim(name)),
    pods: names.flatMap((name) =>
      Array.from({ length: 30 }, (_, index) => aRunningPod(name, { ...TEMPLATE, name: `web-${name}-${index}` })),
    ),
  });
}

/** Reads packed snapshots; the parts of earlier ones are kept. */
function createReader() {
  const parts = new Map<string, unknown>();
  return ({ json, newParts }: PackedJson): ClusterSnapshot => {
    for (const part of newParts) parts.set(part.hash, JSON.parse(part.json));
    const packed = packedSnapshotSchema.parse(JSON.parse(json));
    return unpackSnapshot(packed, (hash) => parts.get(hash));
  };
}

const sizeOf = ({ json, newParts }: PackedJson): number =>
  newParts.reduce((sum, part) => sum + part.json.length, json.length);

describe('a packed snapshot', () => {
  it('is read as it was, with the order of its lists and fields', () => {
    const snapshot = aFleet();
    const read = createReader()(createSnapshotPacker().pack(snapshot));

    expect(JSON.stringify({ ...read, takenAt: 0 }, sortTopLevel)).toBe(
      JSON.stringify({ ...snapshot, takenAt: 0 }, sortTopLevel),
    );
  });

  it('has the template of equal pods once, also after it was read', () => {
    const packed = createSnapshotPacker().pack(aFleet());
    const read = createReader()(packed);

    expect(new Set(read.pods.map(({ spec }) => spec)).size).toBe(1);
    const frame = packed.newParts.find(({ json }) => json.includes('"rows"'));
    expect(frame?.json.split('"tolerations"')).toHaveLength(2);
  });

  it('contains only what changed since the frame', () => {
    const packer = createSnapshotPacker();
    const reader = createReader();
    const before = aFleet();
    const first = packer.pack(before);
    reader(first);

    const [pod = aRunningPod('node-0'), ...others] = before.pods;
    const after = {
      ...before,
      takenAt: before.takenAt + 1,
      pods: [...others.slice(0, 20), ...others.slice(21), ...podsOf(1), { ...pod, ready: false }],
    };
    const second = packer.pack(after);

    expect(second.newParts).toEqual([]);
    expect(sizeOf(second)).toBeLessThan(sizeOf(first) / 10);
    expect(reader(second).pods).toEqual(after.pods);
  });

  it('shares rows that are equal, also if they are other objects', () => {
    const packer = createSnapshotPacker();
    packer.pack(aFleet());
    const copy: ClusterSnapshot = structuredClone(aFleet());

    const second = packer.pack(copy);

    expect(second.newParts).toEqual([]);
    expect(second.json).toContain('"pods":[[0,300]]');
  });

  it('starts a new frame when a tenth of the rows has changed', () => {
    const packer = createSnapshotPacker();
    const before = aFleet();
    packer.pack(before);
    const after = {
      ...before,
      pods: before.pods.map((pod, index) => (index % 5 === 0 ? { ...pod, ready: false } : pod)),
    };

    const frames = packer.pack(after).newParts.filter(({ json }) => json.startsWith('{"values"'));
    expect(frames).toHaveLength(1);
  });

  it('returns all parts again after a reset', () => {
    const packer = createSnapshotPacker();
    const first = packer.pack(aFleet());
    packer.reset();

    expect(packer.pack(aFleet()).newParts.map(({ hash }) => hash)).toEqual(first.newParts.map(({ hash }) => hash));
  });
});

describe('a damaged record', () => {
  const packed = createSnapshotPacker().pack(aFleet());
  const parts = new Map(packed.newParts.map(({ hash, json }) => [hash, json]));

  const readDamaged = (from: string | RegExp, to: string) => {
    const damaged = packed.json.replace(from, to);
    const content = packedSnapshotSchema.parse(JSON.parse(damaged));
    return unpackSnapshot(content, (hash) => JSON.parse((parts.get(hash) ?? 'null').replace(from, to)));
  };

  it.each([
    ['a span beyond the frame', '[[0,300]]', '[[0,301]]', 'rows.pods[0]: names rows up to 301 of a frame of 300'],
    ['an index without a value', /"@spec":\d+/, '"@spec":99999', 'rows.pods[0].@spec: there is no value 99999'],
    ['a scalar that is not allowed', '"phase":"Running"', '"phase":"Idle"', 'rows.pods[0].phase: Invalid option'],
    ['a missing field', /"phase":"Running",/, '', 'rows.pods[0].phase: Invalid option'],
    [
      'a value of another form',
      '"tolerations":[]',
      '"tolerations":7',
      'rows.pods[0].spec.tolerations: Invalid input: expected array, received number',
    ],
  ])('is refused with the place of the damage: %s', (_, from, to, message) => {
    expect(() => readDamaged(from, to)).toThrow(message);
  });
});

/** Only the order of the snapshot's own fields may differ. */
function sortTopLevel(this: unknown, key: string, value: unknown): unknown {
  if (key !== '' || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
