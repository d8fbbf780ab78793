import type { ModelFeed, ModelFrame } from '../../console/model-feed.ts';
import type { NumberedEvent } from '../../console/views/events.ts';
import { BUNDLED_REGION } from '../../shared/ec2/catalogue/ec2-types.ts';
import { createPartialApi } from '../../shared/kubernetes/client/partial-api.ts';
import { followCluster } from '../../shared/kubernetes/watch/follow-cluster.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { REGION_LABEL, ZONE_LABEL } from '../../shared/model/labels.ts';
import type { Node } from '../../shared/model/nodes/node.ts';
import { isDaemon } from '../../shared/model/pods/workload.ts';
import { type EpochMs, SECOND_MS } from '../../shared/model/time.ts';
import type { Decision } from '../../shared/ports/decision-log.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import { describeGaps } from '../cluster/read-gaps.ts';
import { observeLiveCluster } from '../live/observe-live-cluster.ts';
import { ASSUMED_CLASSES, assumePools, withAssumedPools } from './assumed-pools.ts';
import { type CatalogueInput, createCatalogueReader, describeTypicalPrices } from './live-catalogue.ts';
import { createLiveEvents } from './live-events.ts';
import { createExtrasReader, type ExtrasSources, toNodeClassFacts } from './live-extras.ts';
import { createLivePlanner } from './live-planner.ts';

export interface LiveFeedParts extends Omit<ExtrasSources, 'reportsApi'> {
  readonly cluster: string;
  /** Empty if it is unknown; it is then taken from the nodes. */
  readonly region: string;
  /** The records of a controller that scales the cluster; else the console plans by itself. */
  readonly records?: LiveRecords;
}

/** A controller's own view of its cluster. */
export interface LiveRecords {
  readonly ports: Pick<Ports, 'nodeClaims' | 'commands'>;
  decisions(): readonly Decision[];
  events(): readonly NumberedEvent[];
}

export interface LiveFeed extends ModelFeed {
  /** Resolves with the first frame. */
  readonly ready: Promise<void>;
  stop(): void;
}

/** Changes of one moment, such as the pods of a rollout, are shown together. */
const GROUP_CHANGES_MS = 100;
/** Objects of kinds that report no changes are read at this interval. */
const REFRESH_MS = 5 * SECOND_MS;

/** The frames of a live cluster: what its API server shows, and plans that nothing carries out. */
export function createLiveFeed(parts: LiveFeedParts): LiveFeed {
  const { api, clock, cluster, region, prices, findSubnets, records } = parts;
  const partial = createPartialApi(api);
  const readCatalogue = createCatalogueReader();
  const readAssumedCatalogue = createCatalogueReader();
  const listAssumedPools = memoizeLast(assumePools);
  const planner = createLivePlanner();
  const events = createLiveEvents();
  const waits = createWaits(clock.now());
  const listeners = new Set<() => void>();
  const extras = createExtrasReader({
    ...{ api: partial.api, clock },
    // Without reports the plans know less, and are not wrong: no notice names what may not be read of them.
    reportsApi: createPartialApi(api).api,
    ...(prices && { prices }),
    ...(findSubnets && { findSubnets }),
  });
  let frame: ModelFrame | undefined;
  let lostSince: EpochMs | undefined;
  let timer: NodeJS.Timeout | undefined;
  let planTimer: NodeJS.Timeout | undefined;

  const followed = followCluster(
    { api: partial.api, clock },
    {
      onChange: () => scheduleRefresh(),
      onError() {
        lostSince ??= clock.now();
      },
      onRecovered() {
        lostSince = undefined;
        scheduleRefresh();
      },
    },
  );

  function scheduleRefresh(): void {
    if (!followed.isListed()) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      // Records that cannot be read leave the last frame; the next change reads them again.
      void refresh().catch(() => undefined);
    }, GROUP_CHANGES_MS);
  }

  /** Plans, and again for changes that came too soon after the last plan. */
  function plan(snapshot: ClusterSnapshot): void {
    const due = planner.update(snapshot);
    clearTimeout(planTimer);
    if (due !== undefined) planTimer = setTimeout(scheduleRefresh, Math.max(0, due - clock.now()));
  }

  async function refresh(): Promise<void> {
    frame = await buildFrame();
    for (const listener of listeners) listener();
  }

  async function buildFrame(): Promise<ModelFrame> {
    const objects = followed.objects();
    const { classes, priceList, freeAddresses, reports, whyTypical } = extras.current();
    const { nodes, pools } = objects;
    const market = {
      ...{ region: region || findRegion(nodes), nodes },
      ...(priceList && { prices: priceList }),
    };
    const live = readCatalogue({ ...market, pools, classes });
    const { nodeClaims, commands } = records?.ports ?? {};
    const [claims, running] = await Promise.all([nodeClaims?.list(), commands?.list()]);
    const snapshot = observeLiveCluster(
      { ...live, objects, reports, claims: claims?.records.map(({ claim }) => claim) },
      clock.now(),
    );
    const assumed = pools.length === 0 ? assumeFrom(snapshot, { ...market, classes: ASSUMED_CLASSES }) : undefined;
    if (!records) {
      if (lostSince === undefined) plan(assumed ?? snapshot);
      events.update(snapshot, planner.decisions());
    }
    waits.update(snapshot);
    const proposal = planner.proposal();
    const notices = [
      ...describeGaps(partial.gaps()),
      ...(priceList ? [] : [describeTypicalPrices(region || BUNDLED_REGION, whyTypical)]),
    ];
    return {
      snapshot,
      commands: running?.records ?? [],
      priceOf: live.priceOf,
      nodeClasses: [...classes.values()].map((one) => toNodeClassFacts(one, freeAddresses)),
      ...(notices.length > 0 && { notices }),
      ...(proposal && { proposal }),
      reports,
      ...(assumed && { assumed }),
    };
  }

  function assumeFrom(snapshot: ClusterSnapshot, market: Omit<CatalogueInput, 'pools'>): ClusterSnapshot {
    const pools = listAssumedPools(snapshot.nodes);
    return withAssumedPools(snapshot, pools, readAssumedCatalogue({ ...market, pools }));
  }

  const interval = setInterval(() => {
    void extras.refresh().finally(scheduleRefresh);
  }, REFRESH_MS);
  const ready = Promise.all([followed.listed, extras.refresh()]).then(refresh);

  return {
    info: { source: 'live', cluster, region: region || BUNDLED_REGION },
    clock: () => ({
      now: clock.now(),
      speed: 1,
      paused: false,
      ...(lostSince !== undefined && { lostSince }),
    }),
    async observe() {
      await ready;
      if (!frame) await refresh();
      return frame ?? buildFrame();
    },
    decisions: records?.decisions ?? planner.decisions,
    events: records?.events ?? events.list,
    waitsMs: waits.list,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ready,
    stop() {
      clearInterval(interval);
      clearTimeout(timer);
      clearTimeout(planTimer);
      followed.stop();
    },
  };
}

function findRegion(nodes: readonly Node[]): string {
  const labels = nodes.find((node) => node.labels[ZONE_LABEL] !== undefined)?.labels;
  return labels?.[REGION_LABEL] ?? labels?.[ZONE_LABEL]?.replace(/[a-z]$/, '') ?? BUNDLED_REGION;
}

/** Milliseconds from creation to running, of pods that were created since the console started. */
function createWaits(startedAt: EpochMs) {
  const waitByPod = new Map<string, number>();
  let list: readonly number[] = [];
  return {
    update({ pods }: ClusterSnapshot): void {
      const countBefore = waitByPod.size;
      for (const pod of pods) {
        if (pod.startedAt === undefined || pod.createdAt < startedAt || isDaemon(pod)) continue;
        if (!waitByPod.has(pod.uid)) waitByPod.set(pod.uid, pod.startedAt - pod.createdAt);
      }
      if (waitByPod.size !== countBefore) list = [...waitByPod.values()];
    },
    list: () => list,
  };
}

function memoizeLast<Argument, Result>(compute: (argument: Argument) => Result): (argument: Argument) => Result {
  let last: { readonly argument: Argument; readonly result: Result } | undefined;
  return (argument) => {
    if (last?.argument !== argument) last = { argument, result: compute(argument) };
    return last.result;
  };
}
