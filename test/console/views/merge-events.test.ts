import { describe, expect, it } from 'vitest';
import type { NumberedEvent } from '../../../console/views/events.ts';
import { eventViews } from '../../../console/views/merge-events.ts';
import type { ClusterEvent } from '../../../shared/model/explanations/events.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { anOffering, NOON } from '../../support/builders.ts';

const numbered = (events: readonly ClusterEvent[]): NumberedEvent[] =>
  events.map((event, index) => ({ seq: index + 1, event }));

const launch = (claim: string, pods: number, at = NOON): ClusterEvent => ({
  kind: 'launch',
  at,
  claim,
  pods: Array.from({ length: pods }, (_, index) => `shop/${claim}-${index}`),
  cpuMilli: pods * 1_000,
  offering: anOffering(),
});

describe('equal events of one cause', () => {
  it('become one event with the pods and the price of all launches', () => {
    const [view, ...others] = eventViews(numbered([launch('a', 3), launch('b', 2), launch('c', 1, NOON + 2_000)]));

    expect(others).toEqual([]);
    expect(view?.text).toBe('6 pods need 6 CPU in us-east-1a → 3 × m7i.large on-demand, $0.302/h together.');
    expect(view).toMatchObject({ seq: 3, replaces: [1, 2] });
    expect(view?.objects.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('stay apart if they happen at different times', () => {
    expect(eventViews(numbered([launch('a', 3), launch('b', 2, NOON + MINUTE_MS)]))).toHaveLength(2);
  });

  it('are sent again with those that they replace when one more arrives', () => {
    const events = numbered([launch('a', 3), launch('b', 2)]);
    expect(eventViews(events, 1)).toMatchObject([{ seq: 2, replaces: [1] }]);
    expect(eventViews(events, 2)).toEqual([]);
  });

  it('name the nodes of all if each is about one node', () => {
    const gone = (claim: string): ClusterEvent => ({
      kind: 'terminated',
      at: NOON,
      claim,
      livedMs: 180_000,
    });
    expect(eventViews(numbered([gone('a'), gone('b'), gone('c')]))[0]?.text).toBe(
      'c is gone after 3 min. Likewise a, b.',
    );
  });

  it('are counted if they repeat word for word', () => {
    const refused = (at: number): ClusterEvent => ({
      kind: 'eviction-refused',
      at,
      pod: 'payments/ledger-0',
      pdb: 'ledger',
    });
    const events = [0, 30_000, 60_000].map((after) => refused(NOON + after));
    expect(eventViews(numbered(events)).map(({ text }) => text)).toEqual([
      'Eviction of payments/ledger-0 refused: PDB ledger allows none. Tried again within 30 s. (3 times)',
    ]);
  });
});
