import type { ClusterEvent } from '../../shared/model/explanations/events.ts';
import { DAY_MS, type EpochMs, MINUTE_MS } from '../../shared/model/time.ts';
import type { ChurnView, NodeSpan } from '../timeline-views.ts';
import type { PodView } from '../views.ts';

/** Counts evictions and the time that pods run, by the minute. DaemonSet pods do not count. */
export interface ChurnMeter {
  /** Counts the time since the last update with the pods that ran then. */
  update(at: EpochMs, pods: readonly Pick<PodView, 'state' | 'daemon'>[]): void;
  learn(event: ClusterEvent): void;
  forget(before: EpochMs): void;
  /** @param nodes - those that lived in the window */
  view(window: { readonly from: EpochMs; readonly to: EpochMs }, nodes: readonly NodeSpan[]): ChurnView;
}

interface Minute {
  readonly evictions: number;
  readonly podMs: number;
}

export function churnMeter(): ChurnMeter {
  const minutes = new Map<EpochMs, Minute>();
  let last: { readonly at: EpochMs; readonly running: number } | undefined;

  function add(at: EpochMs, more: Partial<Minute>): void {
    const start = startOfMinute(at);
    const { evictions = 0, podMs = 0 } = minutes.get(start) ?? {};
    minutes.set(start, {
      evictions: evictions + (more.evictions ?? 0),
      podMs: podMs + (more.podMs ?? 0),
    });
  }

  return {
    update(at, pods) {
      if (last && at > last.at) add(at, { podMs: last.running * (at - last.at) });
      const running = pods.filter(({ state, daemon }) => state === 'running' && !daemon).length;
      last = { at, running };
    },
    learn(event) {
      if (event.kind === 'evicted' || event.kind === 'pod-deleted') {
        add(event.at, { evictions: 1 });
      }
    },
    forget(before) {
      for (const start of minutes.keys()) if (start < startOfMinute(before)) minutes.delete(start);
    },
    view({ from, to }, nodes) {
      const inside = [...minutes].flatMap(([start, minute]) =>
        start >= startOfMinute(from) && start <= to ? [minute] : [],
      );
      const evictions = inside.reduce((sum, minute) => sum + minute.evictions, 0);
      const podDays = inside.reduce((sum, { podMs }) => sum + podMs, 0) / DAY_MS;
      return {
        evictions,
        ...(podDays > 0 && { evictionsPerPodDay: evictions / podDays }),
        ...computeLifetimes(nodes, from, to),
      };
    },
  };
}

const startOfMinute = (at: EpochMs): EpochMs => Math.floor(at / MINUTE_MS) * MINUTE_MS;

/** The lifetimes of the nodes that went in the window. A NodeClaim without capacity was no node. */
function computeLifetimes(nodes: readonly NodeSpan[], from: EpochMs, to: EpochMs): Pick<ChurnView, 'lifetimeMs'> {
  const sorted = nodes
    .filter(({ readyAt }) => readyAt !== undefined)
    .flatMap(({ bornAt, goneAt }) => (goneAt === undefined || goneAt < from || goneAt > to ? [] : [goneAt - bornAt]))
    .toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  const [p50, p10] = [at(0.5), at(0.1)];
  return p50 === undefined || p10 === undefined ? {} : { lifetimeMs: { p50, p10 } };
}
