import { UnknownObjectError } from '../../../console/errors.ts';
import { reservationMeter } from '../../../console/history/reservation-hours.ts';
import type { ConsoleSource, PlayActions } from '../../../console/source.ts';
import { costView } from '../../../console/views/cost/cost-view.ts';
import { createExplanations } from '../../../console/views/explain.ts';
import type { ConsoleFacts } from '../../../console/views/facts.ts';
import { poolsView } from '../../../console/views/pool-views.ts';
import { stateView } from '../../../console/views/state.ts';
import type { EventView } from '../../../console/views.ts';
import { createWhatIf } from '../../../console/what-if/what-if.ts';
import { someFacts } from './facts.ts';

export interface StillSource {
  readonly source: ConsoleSource;
  /** The playground actions that the page requested. */
  readonly played: readonly unknown[];
  /** Shows other facts from now on. */
  show(facts: ConsoleFacts): void;
  tell(event: EventView): void;
}

/** A source that changes only through its `show`. */
export function stillSource(start: ConsoleFacts = someFacts()): StillSource {
  let facts = start;
  const whatIf = createWhatIf();
  const explanations = createExplanations();
  const events: EventView[] = [];
  const played: unknown[] = [];
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  const play: PlayActions = {
    clock: (request) => void played.push(request),
    scale: (request) => {
      if (request.name === 'nobody') throw new UnknownObjectError('Deployment shop/nobody');
      played.push(request);
    },
    interrupt: (request) => void played.push(request),
    shortage: (request) => void played.push(request),
    continueDemo: () => void played.push({}),
    step: () => void played.push({}),
    multiplySpotPrices: (request) => void played.push(request),
    loseZone: (request) => void played.push(request),
    drift: (request) => void played.push(request),
    reset: (request) => void played.push(request),
    exportSnapshot: async () => ({ name: 'demo.snapshot.json.gz', bytes: Buffer.from('zip') }),
  };
  const source: ConsoleSource = {
    clock: () => facts.clock,
    state: async () => stateView(facts),
    events: (after) => events.filter(({ seq }) => seq > after),
    decisions: () => [],
    explain: async (object) =>
      explanations.explain(object, { frame: facts, decisions: [], launchOf: facts.decisions.launchOf }),
    series: () => ({ points: [], marks: [] }),
    cost: async () => costView(facts, reservationMeter()),
    costHistory: () => ({ names: [], points: [] }),
    pools: async () => poolsView(facts),
    whatIfOptions: async () => ({ workloads: [], zones: [], pools: [] }),
    whatIf: async (request) => whatIf.plan({ snapshot: facts.snapshot, commands: [] }, request),
    timeline: ({ from, to }) => ({
      ...{ from, to, first: from, now: to },
      ...{
        nodes: [],
        series: { points: [], marks: [] },
        events: [],
        planned: [],
        churn: { evictions: 0 },
      },
    }),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    play,
  };
  return {
    source,
    played,
    show(next) {
      facts = next;
      changed();
    },
    tell(event) {
      events.push(event);
      changed();
    },
  };
}
