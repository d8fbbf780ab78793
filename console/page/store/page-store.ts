import { MARKED_EVENTS } from '../../marked-events.ts';
import type { ClockView, SeriesPoint, SeriesView } from '../../views.ts';
import { getSeries } from './api.ts';
import type { ClusterModel } from './cluster-model.ts';
import { addEvent, applyPatch, createClusterModel } from './cluster-model.ts';
import { liveStream } from './live-stream.ts';
import type { HeardClock } from './page-clock.ts';

export type Contact =
  | { readonly state: 'connecting' }
  | { readonly state: 'live'; readonly heardAt: number }
  /** `since` and `retryAt` are real time. */
  | { readonly state: 'lost'; readonly since: number; readonly retryAt: number };

export interface PageState {
  readonly contact: Contact;
  readonly model?: ClusterModel;
  readonly clock?: HeardClock;
  readonly series: SeriesView;
}

export interface PageStore {
  get(): PageState;
  subscribe(listener: () => void): () => void;
  stop(): void;
}

const NO_SERIES: SeriesView = { points: [], marks: [] };
/** The whole curve is fetched at this interval, because patches skip points at high speed. */
const SERIES_MS = 10_000;

/** The state received from the server. Components read it through `usePage`. */
export function pageStore(): PageStore {
  let state: PageState = { contact: { state: 'connecting' }, series: NO_SERIES };
  const listeners = new Set<() => void>();

  const set = (change: Partial<PageState>) => {
    state = { ...state, ...change };
    for (const listener of listeners) listener();
  };
  const live = (change: Partial<PageState>) =>
    set({ contact: { state: 'live', heardAt: Date.now() }, ...change });
  const heard = (clock: ClockView): HeardClock => ({ ...clock, heardAt: performance.now() });
  const refreshSeries = () => {
    if (state.contact.state !== 'live') return;
    // A failed request for the curve is repeated at the next interval.
    getSeries().then(
      (series) => set({ series }),
      () => undefined,
    );
  };

  const stopStream = liveStream({
    onKeyframe(keyframe) {
      const instance = state.model?.info.instance;
      // Another start of the server has another token and perhaps another page.
      if (instance !== undefined && instance !== keyframe.info.instance) return location.reload();
      live({ model: createClusterModel(keyframe), clock: heard(keyframe.clock) });
      refreshSeries();
    },
    onPatch(patch) {
      if (!state.model) return;
      const model = applyPatch(state.model, patch);
      live({ model, series: withPoint(state.series, pointOf(patch.at, model)) });
    },
    onEvent(event) {
      if (!state.model) return;
      const marks = MARKED_EVENTS.has(event.kind)
        ? [...state.series.marks, event]
        : state.series.marks;
      live({ model: addEvent(state.model, event), series: { ...state.series, marks } });
    },
    onDecision() {
      if (!state.model) return;
      live({ model: { ...state.model, decisions: state.model.decisions + 1 } });
    },
    onClock: (clock) => live({ clock: heard(clock) }),
    onLost(retryAt) {
      const { contact } = state;
      const since =
        contact.state === 'lost'
          ? contact.since
          : contact.state === 'live'
            ? contact.heardAt
            : Date.now();
      set({ contact: { state: 'lost', since, retryAt } });
    },
  });
  const seriesTimer = setInterval(refreshSeries, SERIES_MS);

  return {
    get: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop() {
      stopStream();
      clearInterval(seriesTimer);
    },
  };
}

const pointOf = (at: number, { totals }: ClusterModel): SeriesPoint => ({
  at,
  hourlyUsd: totals.hourlyUsd,
  pendingPods: totals.pendingPods,
  ...(totals.bound === undefined ? {} : { boundHourlyUsd: totals.bound.hourlyUsd }),
});

const withPoint = (series: SeriesView, point: SeriesPoint): SeriesView => ({
  ...series,
  points: [...series.points, point],
});
