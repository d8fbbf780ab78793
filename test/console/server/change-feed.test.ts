import { describe, expect, it } from 'vitest';
import { changeFeed } from '../../../console/server/change-feed.ts';
import type { ConsoleSource } from '../../../console/source.ts';
import { stateView } from '../../../console/views/state.ts';
import type { DecisionView, EventView } from '../../../console/views.ts';
import { aPod, NOON } from '../../support/builders.ts';
import { someFacts } from '../support/facts.ts';

const anEvent = (seq: number): EventView => ({
  seq,
  at: NOON,
  kind: 'ready',
  tone: 'good',
  objects: [],
  text: `event ${seq}`,
});

/** A source whose state, events and decisions a test advances. */
function aSource() {
  const events: EventView[] = [];
  const decisions: DecisionView[] = [];
  let state = stateView(someFacts());
  const source: ConsoleSource = {
    clock: () => state.clock,
    state: async () => state,
    events: (after) => events.filter(({ seq }) => seq > after),
    decisions: (since) => decisions.filter(({ at }) => at >= since),
    explain: async () => undefined,
    series: () => ({ points: [], marks: [] }),
    cost: () => Promise.reject(new Error('not called')),
    costHistory: () => ({ names: [], points: [] }),
    pools: () => Promise.reject(new Error('not called')),
    whatIfOptions: () => Promise.reject(new Error('not called')),
    whatIf: () => Promise.reject(new Error('not called')),
    timeline: () => {
      throw new Error('not called');
    },
    onChange: () => () => undefined,
  };
  return {
    source,
    events,
    decisions,
    addPod() {
      state = stateView(someFacts({ snapshot: { pods: [aPod()] } }));
    },
  };
}

const typesOf = (changes: readonly { readonly type: string }[]) => changes.map(({ type }) => type);

describe('the feed of changes', () => {
  it('sends causes before the state that shows them', async () => {
    const { source, events, decisions, addPod } = aSource();
    const feed = changeFeed(source);
    await feed.next();

    events.push(anEvent(1));
    decisions.push({ id: 'p-1', at: NOON, kind: 'provisioning', text: '', acts: true });
    addPod();

    expect(typesOf(await feed.next())).toEqual(['event', 'decision', 'patch']);
    expect(await feed.next()).toEqual([]);
  });

  it('sends two decisions of the same millisecond, each once', async () => {
    const { source, decisions } = aSource();
    const feed = changeFeed(source);
    await feed.next();

    decisions.push({ id: 'p-1', at: NOON, kind: 'provisioning', text: '', acts: true });
    expect(typesOf(await feed.next())).toEqual(['decision']);
    decisions.push({ id: 'd-1', at: NOON, kind: 'disruption', text: '', acts: true });
    expect(await feed.next()).toMatchObject([{ data: { id: 'd-1' } }]);
  });

  it('contains earlier events in the keyframe and does not send them', async () => {
    const { source, events } = aSource();
    events.push(anEvent(1));
    const feed = changeFeed(source);

    expect(await feed.next()).toEqual([]);
    expect((await feed.keyframe()).events).toEqual([anEvent(1)]);
  });

  it('leaves events that it has not sent yet out of the keyframe', async () => {
    const { source, events } = aSource();
    const feed = changeFeed(source);
    events.push(anEvent(1));

    expect((await feed.keyframe()).events).toEqual([]);
  });
});
