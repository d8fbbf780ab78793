import { randomUUID } from 'node:crypto';
import { podKey } from '../shared/model/pods/pod.ts';
import { type EpochMs, HOUR_MS } from '../shared/model/time.ts';
import { boundGauge } from './bound-gauge.ts';
import { churnMeter } from './history/churn-meter.ts';
import { costCurve } from './history/cost-curve.ts';
import { costHistory } from './history/cost-history.ts';
import { type Moment, moments } from './history/moments.ts';
import { nodeSpans } from './history/node-spans.ts';
import { reservationMeter } from './history/reservation-hours.ts';
import type { ModelFeed, ModelFrame } from './model-feed.ts';
import type { ExplanationView } from './screen-views.ts';
import type { ConsoleSource } from './source.ts';
import type { PlannedStep } from './timeline-views.ts';
import { costGroups, nodeCosts } from './views/cost/cost-groups.ts';
import { costView } from './views/cost/cost-view.ts';
import { decisionIndex } from './views/decision-index.ts';
import { decisionView } from './views/decision-view.ts';
import { createExplanations, type ExplainedFrame, knowsObject } from './views/explain.ts';
import type { ConsoleFacts } from './views/facts.ts';
import { eventViews } from './views/merge-events.ts';
import { nodeViews } from './views/nodes.ts';
import { plannedSteps } from './views/planned.ts';
import { createPodCache } from './views/pod-view.ts';
import { nodeViewNames, podViews } from './views/pods.ts';
import { poolsView } from './views/pool-views.ts';
import { seriesView } from './views/series.ts';
import { stateView } from './views/state.ts';
import type { EventView, InfoView, ObjectRef, StateView } from './views.ts';
import { createWhatIf } from './what-if/what-if.ts';

/** Length of the curve below the map. */
const CURVE_MS = HOUR_MS;
/** Maximum number of events that a page may request. */
const EVENTS = 500;
/** A frame is kept at most this often; building its views takes at most a tenth of the time. */
const KEEP_EVERY_MS = 200;
const MAX_LOAD = 0.1;

/** How often frames are kept, in real time, and the share of the time that this may take. */
interface HistoryPace {
  readonly keepEveryMs: number;
  readonly maxLoad: number;
}

/** Turns the frames of a feed into the views of the page, and keeps them for scrubbing. */
export function createModelSource(
  feed: ModelFeed,
  { keepEveryMs = KEEP_EVERY_MS, maxLoad = MAX_LOAD }: Partial<HistoryPace> = {},
): ConsoleSource {
  const index = decisionIndex();
  const gauge = boundGauge();
  const cache = createPodCache();
  const history = moments();
  const spans = nodeSpans();
  const churn = churnMeter();
  const curve = costCurve();
  const costs = costHistory();
  const reservations = reservationMeter();
  const whatIf = createWhatIf();
  const explanations = createExplanations();
  const info: InfoView = { ...feed.info, instance: randomUUID() };
  let recordAfter = 0;
  let isRecording = false;
  let learnedSeq = 0;

  const toFacts = (
    { snapshot, commands, notices, proposal, priceOf, nodeClasses }: ModelFrame,
    past?: EpochMs,
  ): ConsoleFacts => {
    const bound = gauge.bound(past);
    const playable = past === undefined ? feed.playable?.(snapshot) : undefined;
    return {
      ...{ info, snapshot, commands, pods: cache },
      clock: past === undefined ? feed.clock() : { now: past, speed: 1, paused: true },
      decisions: past === undefined ? index : index.asOf(past),
      waitsMs: feed.waitsMs(),
      ...(bound !== undefined && { bound }),
      ...(playable !== undefined && { playable }),
      ...(notices !== undefined && { notices }),
      ...(proposal !== undefined && { proposal }),
      ...(priceOf !== undefined && { priceOf }),
      ...(nodeClasses !== undefined && { nodeClasses }),
    };
  };

  /** Reads the frame of now, with the decisions about it. */
  async function readFrame(): Promise<ModelFrame> {
    const frame = await feed.observe();
    index.add(feed.decisions(), nodeViewNames(frame.snapshot));
    return frame;
  }

  /** The views of now; keeps its frame if it is due. */
  async function current(): Promise<StateView> {
    const frame = await readFrame();
    const { takenAt } = frame.snapshot;
    if (gauge.isDue(takenAt)) gauge.read(frame.assumed ?? frame.snapshot);
    const began = performance.now();
    const state = stateView(toFacts(frame));
    if (began >= recordAfter) {
      keep(frame, state);
      const tookMs = performance.now() - began;
      recordAfter = began + Math.max(keepEveryMs, tookMs / maxLoad);
    }
    return state;
  }

  function keep(frame: ModelFrame, state: StateView): void {
    const at = frame.snapshot.takenAt;
    history.add({ at, frame });
    spans.update(at, state.nodes, frame.snapshot.claims);
    churn.update(at, state.pods);
    for (const { seq, event } of feed.events().filter(({ seq }) => seq > learnedSeq)) {
      spans.learn(event);
      churn.learn(event);
      learnedSeq = seq;
    }
    if (!feed.costs) curve.add(at, state.totals);
    costs.add(at, costGroups(nodeCosts(state.nodes, state.pods, NO_PRICES)));
    reservations.read(frame.snapshot);
    const since = history.first()?.at ?? at;
    spans.forget(since);
    churn.forget(since);
    curve.forget(since);
    costs.forget(since);
    index.forget(
      since,
      {
        pods: new Set(frame.snapshot.pods.map(podKey)),
        claims: new Set(frame.snapshot.claims.map(({ name }) => name)),
      },
      at,
    );
  }

  // The history grows while no page is open, too.
  feed.onChange(() => {
    if (isRecording || performance.now() < recordAfter) return;
    isRecording = true;
    void current()
      // A feed that cannot be read keeps its last frame, and the next change reads it again.
      .catch(() => undefined)
      .finally(() => {
        isRecording = false;
      });
  });

  function toExplained(frame: ModelFrame, past?: EpochMs): ExplainedFrame {
    const decisions = past === undefined ? feed.decisions() : feed.decisions().filter(({ at }) => at <= past);
    const { launchOf } = past === undefined ? index : index.asOf(past);
    return { frame, decisions, launchOf };
  }

  /** Explains an object that is gone as of the last moment that knew it. */
  function explainPast(object: ObjectRef, until: EpochMs): ExplanationView | undefined {
    const last = history.findLast(until, ({ frame }) => knowsObject(frame, object));
    const explanation = last && explanations.explain(object, toExplained(last.frame, last.at));
    return explanation && { ...explanation, goneAt: history.after(last.at)?.at ?? last.at };
  }

  /** Undefined for now, and while nothing is kept. */
  const findMoment = (at: EpochMs | undefined): Moment | undefined => (at === undefined ? undefined : history.at(at));

  const frameAt = async (at: EpochMs | undefined): Promise<ModelFrame> => findMoment(at)?.frame ?? (await readFrame());

  function findPast(at: EpochMs | undefined): ConsoleFacts | undefined {
    const moment = findMoment(at);
    return moment && toFacts(moment.frame, moment.at);
  }

  const factsAt = async (at: EpochMs | undefined): Promise<ConsoleFacts> => findPast(at) ?? toFacts(await readFrame());

  const allEvents = (): readonly EventView[] => eventViews(feed.events().slice(-EVENTS));
  const points = () => feed.costs?.() ?? curve.points();

  return {
    clock: feed.clock,
    async state(at) {
      const past = findPast(at);
      return past ? stateView(past) : await current();
    },
    events: (afterSeq) => eventViews(feed.events().slice(-EVENTS), afterSeq),
    decisions: (since) =>
      feed
        .decisions()
        .filter(({ at }) => at >= since)
        .map(decisionView),
    async explain(object, at) {
      const moment = findMoment(at);
      const frame = moment?.frame ?? (await readFrame());
      const explanation = explanations.explain(object, toExplained(frame, moment?.at));
      return explanation ?? explainPast(object, at ?? frame.snapshot.takenAt);
    },
    series() {
      const to = feed.clock().now;
      const window = { from: to - CURVE_MS, to };
      return seriesView(points(), gauge.samples(), allEvents(), window);
    },
    cost: async (at) => costView(await factsAt(at), reservations),
    costHistory: (by, window) => costs.view(by, window, gauge.samples()),
    pools: async (at) => poolsView(await factsAt(at)),
    whatIfOptions: async (at) => whatIf.options(await frameAt(at)),
    async whatIf(request, at) {
      const frame = await frameAt(at);
      const fix = request.fix && explanations.findFix(request.fix, toExplained(frame, findMoment(at)?.at));
      return await whatIf.plan(frame, request, fix);
    },
    timeline({ from, to }) {
      const first = history.first()?.at ?? to;
      const window = { from: Math.max(from, first), to };
      const last = history.at(to);
      const nodes = spans.list(window);
      return {
        ...window,
        first,
        now: feed.clock().now,
        nodes,
        churn: churn.view(window, nodes),
        series: seriesView(points(), gauge.samples(), allEvents(), window),
        events: allEvents().filter(({ at }) => at >= window.from && at <= to),
        planned: last ? plannedIn(toFacts(last.frame, last.at)) : [],
      };
    },
    onChange: feed.onChange,
    ...(feed.play && { play: feed.play }),
  };
}

const plannedIn = (facts: ConsoleFacts): readonly PlannedStep[] =>
  plannedSteps(facts, nodeViews(facts, podViews(facts)));

/** The history compares no prices. */
const NO_PRICES = new Map<string, number>();
