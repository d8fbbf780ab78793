import { MARKED_EVENTS } from '../../marked-events.ts';
import type { SeriesPoint, SeriesView } from '../../timeline-views.ts';
import type { ClockView, DecisionView, EventView, Keyframe, PatchView } from '../../views.ts';
import { getSeries, getState } from './api.ts';
import { addEvent, applyPatch, type ClusterModel, createClusterModel } from './cluster-model.ts';
import type { HeardClock } from './page-clock.ts';
import { readUntilAnswered } from './read-until-answered.ts';

export type Contact =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** The simulation starts anew: the page is loaded again when its server answers. */
  | { readonly state: 'restarting' }
  /** `since` and `retryAt` are real time. */
  | { readonly state: 'lost'; readonly since: number; readonly retryAt: number };

export interface PageState {
  readonly contact: Contact;
  /** The state that the page shows: the live one, or that of a moment of the past. */
  readonly model?: ClusterModel;
  readonly clock?: HeardClock;
  readonly series: SeriesView;
  /** Undefined while the page is live. */
  readonly shownAt?: number | undefined;
}

export interface PageStore {
  get(): PageState;
  subscribe(listener: () => void): () => void;
  /** Returns the marked events, oldest first, once the curve has been read. */
  readMarks(): Promise<readonly EventView[]>;
  /** Shows a moment of the past; undefined for the live state. */
  show(at: number | undefined): void;
  stop(): void;
}

const LIVE: Contact = { state: 'live' };

/** The parts of the state that a moment of the past replaces. */
type LiveState = Pick<PageState, 'model' | 'clock'>;

const NO_SERIES: SeriesView = { points: [], marks: [] };
/** The whole curve is fetched at this interval, because patches skip points at high speed. */
const SERIES_MS = 10_000;
/** While the playhead is dragged, only moments at which it rests this long are read. */
const REST_MS = 60;

/** The state received from the server. Components read it through `usePage`. */
export function pageStore(): PageStore {
  let state: PageState = { contact: { state: 'connecting' }, series: NO_SERIES };
  // The live state goes on while the page shows the past.
  let live: LiveState = {};
  let past: LiveState | undefined;
  let stopPast: () => void = () => undefined;
  let stopSeries: () => void = () => undefined;
  /** Real time of the last message. */
  let heardAt: number | undefined;
  const listeners = new Set<() => void>();

  const set = (change: Partial<PageState>) => {
    state = { ...state, ...change };
    for (const listener of listeners) listener();
  };
  const onLive = ({ series, ...change }: LiveState & Partial<Pick<PageState, 'series'>>) => {
    live = { ...live, ...change };
    heardAt = Date.now();
    set({
      contact: LIVE,
      ...(past ?? live),
      ...(series && { series }),
    });
  };
  const heard = (clock: ClockView): HeardClock => ({ ...clock, heardAt: performance.now() });
  const firstSeries = Promise.withResolvers<void>();
  const refreshSeries = () => {
    stopSeries();
    if (state.contact.state !== 'live') return;
    stopSeries = readUntilAnswered(getSeries, (series) => {
      set({ series });
      firstSeries.resolve();
    });
  };

  const stopStream = liveStream({
    onKeyframe(keyframe) {
      const instance = live.model?.info.instance;
      // Another start of the server has another token and perhaps another page.
      if (instance !== undefined && instance !== keyframe.info.instance) return location.reload();
      onLive({ model: createClusterModel(keyframe), clock: heard(keyframe.clock) });
      refreshSeries();
    },
    onPatch(patch) {
      if (!live.model) return;
      const model = applyPatch(live.model, patch);
      onLive({ model, series: withPoint(state.series, pointOf(patch.at, model)) });
    },
    onEvent(event) {
      if (!live.model) return;
      const marks = MARKED_EVENTS.has(event.kind) ? [...state.series.marks, event] : state.series.marks;
      onLive({ model: addEvent(live.model, event), series: { ...state.series, marks } });
    },
    onDecision() {
      if (!live.model) return;
      onLive({ model: { ...live.model, decisions: live.model.decisions + 1 } });
    },
    onClock: (clock) => onLive({ clock: heard(clock) }),
    onRestart: () => set({ contact: { state: 'restarting' } }),
    onLost(retryAt) {
      const { contact } = state;
      const since = contact.state === 'lost' ? contact.since : (heardAt ?? Date.now());
      set({ contact: { state: 'lost', since, retryAt } });
    },
  });
  const seriesTimer = setInterval(refreshSeries, SERIES_MS);

  return {
    get: () => state,
    readMarks: () => firstSeries.promise.then(() => state.series.marks),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    show(at) {
      if (state.shownAt === at) return;
      if (at === undefined) past = undefined;
      set({ shownAt: at, ...(past ?? live) });
      stopPast();
      if (at === undefined) return;
      // Until the moment is read, the last picture stays; the playhead shows where it is.
      const onPast = (keyframe: Keyframe) => {
        past = { model: createClusterModel(keyframe), clock: heard(keyframe.clock) };
        set(past);
      };
      stopPast = readUntilAnswered(() => getState(at), onPast, REST_MS);
    },
    stop() {
      stopPast();
      stopSeries();
      stopStream();
      clearInterval(seriesTimer);
    },
  };
}

const pointOf = (at: number, { totals }: ClusterModel): SeriesPoint => ({
  at,
  hourlyUsd: totals.hourlyUsd,
  pendingPods: totals.pendingPods,
  ...(totals.bound !== undefined && { boundHourlyUsd: totals.bound.hourlyUsd }),
});

const withPoint = (series: SeriesView, point: SeriesPoint): SeriesView => ({
  ...series,
  points: [...series.points, point],
});

interface StreamHandlers {
  onKeyframe(keyframe: Keyframe): void;
  onPatch(patch: PatchView): void;
  onEvent(event: EventView): void;
  onDecision(decision: DecisionView): void;
  onClock(clock: ClockView): void;
  /**
   * @param retryAt - time of the next attempt, as in `Date.now()`
   */
  onLost(retryAt: number): void;
  /** The server ends, and another one follows at once. */
  onRestart(): void;
}

/** A connection that is silent for this long is dead. */
const SILENCE_MS = 5_000;
const RETRIES_MS = [1_000, 2_000, 4_000, 5_000];
/** A server that follows at once answers within some of these. */
const RESTART_MS = 250;
const RESTART_TRIES = 20;

/**
 * Follows the server's stream. It reconnects by itself, because an EventSource does not report its
 * next attempt and does not notice a dead connection.
 *
 * @returns a function that stops it
 */
function liveStream(handlers: StreamHandlers): () => void {
  let lastId = '';
  let failures = 0;
  let restartTries = 0;
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const wait = (ms: number, then: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(then, ms);
  };

  const lost = () => {
    source?.close();
    if (restartTries > 0) {
      restartTries -= 1;
      return wait(RESTART_MS, open);
    }
    const delay = RETRIES_MS[Math.min(failures, RETRIES_MS.length - 1)] ?? 1_000;
    failures += 1;
    handlers.onLost(Date.now() + delay);
    wait(delay, open);
  };

  const open = () => {
    const stream = new EventSource(`/api/stream?after=${encodeURIComponent(lastId)}`);
    source = stream;
    const on = <T>(type: string, handle: (data: T) => void) => {
      stream.addEventListener(type, (message: MessageEvent<string>) => {
        failures = 0;
        if (message.lastEventId !== '') lastId = message.lastEventId;
        wait(SILENCE_MS, lost);
        handle(parsed<T>(message.data));
      });
    };
    on<Keyframe>('state', handlers.onKeyframe);
    on<PatchView>('patch', handlers.onPatch);
    on<EventView>('event', handlers.onEvent);
    on<DecisionView>('decision', handlers.onDecision);
    on<ClockView>('clock', handlers.onClock);
    on('restart', () => {
      restartTries = RESTART_TRIES;
      handlers.onRestart();
      lost();
    });
    stream.addEventListener('error', lost);
    wait(SILENCE_MS, lost);
  };

  open();
  return () => {
    clearTimeout(timer);
    source?.close();
  };
}

// Page and server are one build: the server reloads an older page, so messages have the type that
// both were compiled with.
const parsed = <T>(text: string): T => JSON.parse(text) as T;
