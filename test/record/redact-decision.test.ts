import { describe, expect, it } from 'vitest';
import { DECIDERS } from '../../cli/record/deciders.ts';
import { isReplayedEqually } from '../../cli/record/replay-decision.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import type { ReadDecision } from '../../shared/record/read-decision.ts';
import { createDecisionRedaction } from '../../shared/record/redact-decision.ts';
import { readStored } from './support/read-stored.ts';
import { recordExample } from './support/record-example.ts';

const FOR_MS = 5 * MINUTE_MS;

async function recordRedacted(example: string, salt = 'salt') {
  const redact = createDecisionRedaction(salt, DECIDERS);
  const store = await recordExample(example, FOR_MS, redact);
  return { store, decisions: store.decisionPaths().map((path) => readStored(store, path)) };
}

const listPods = ({ input }: ReadDecision): readonly string[] => input.snapshot.pods.map(({ name }) => name);

describe('a decision that is recorded without names', () => {
  it.each(['blocked', 'web-three-zones', 'stateful-set'])(
    'of %s is made again byte for byte from its record',
    async (example) => {
      const { decisions } = await recordRedacted(example);

      expect(decisions.length).toBeGreaterThan(1);
      expect(decisions.filter((one) => !isReplayedEqually(one)).map(({ id }) => id)).toEqual([]);
    },
  );

  it('contains neither names of pods nor of nodes, and says so', async () => {
    const { store, decisions } = await recordRedacted('stateful-set');
    const plain = await recordExample('stateful-set', FOR_MS);
    const names = plain.decisionPaths().flatMap((path) => {
      const { pods, nodes } = readStored(plain, path).input.snapshot;
      return [...pods, ...nodes].map(({ name }) => name);
    });
    const text = [...store.entries.values()].join('');

    expect(new Set(names).size).toBeGreaterThan(1);
    expect([...new Set(names)].filter((name) => text.includes(name))).toEqual([]);
    expect(decisions.every(({ redacted }) => redacted !== undefined)).toBe(true);
  });

  it('has the same hash for a name in all decisions with a salt, and another with another', async () => {
    const [first, ...later] = (await recordRedacted('web-three-zones')).decisions.map(listPods);
    const others = (await recordRedacted('web-three-zones', 'other')).decisions.flatMap(listPods);

    expect(first).toContainEqual(expect.stringMatching(/^x[0-9a-f]{10}$/));
    expect(later.at(-1)).toEqual(expect.arrayContaining([...(first ?? [])]));
    expect(others.filter((name) => first?.includes(name))).toEqual([]);
  });

  it('stores the catalogue once, as other records do', async () => {
    const countParts = ({ entries }: { readonly entries: ReadonlyMap<string, string> }): number =>
      [...entries.keys()].filter((path) => path.startsWith('parts/')).length;
    const { store } = await recordRedacted('web-three-zones');

    expect(countParts(store)).toBe(countParts(await recordExample('web-three-zones', FOR_MS)));
  });

  it('is not recorded by a process that cannot make it again', async () => {
    const redact = createDecisionRedaction('salt', {});

    await expect(recordExample('stateful-set', FOR_MS, redact)).rejects.toThrow(
      'cannot be recorded without names by this process',
    );
  });
});
