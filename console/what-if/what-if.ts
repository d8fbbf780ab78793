import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { readManifests } from '../../shared/api/manifests/read-manifests.ts';
import { writeNodePool } from '../../shared/api/manifests/write-node-pool.ts';
import type { ExplainedFix } from '../../shared/explain/explanation.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { isTerminal } from '../../shared/model/pods/disruption-pods.ts';
import { isDaemon, workloadNameOf } from '../../shared/model/pods/workload.ts';
import { SECOND_MS } from '../../shared/model/time.ts';
import { applyFix } from '../../shared/what-if/apply-fix.ts';
import { listNodeClasses } from '../../shared/what-if/change-pools.ts';
import { type ClusterChanges, changeSnapshot } from '../../shared/what-if/change-snapshot.ts';
import { completeChanges } from '../../shared/what-if/complete-changes.ts';
import { type Projection, planNextRound, startProjection } from '../../shared/what-if/steady-state.ts';
import { compareOutcomes } from '../../shared/what-if/what-if.ts';
import type { ModelFrame } from '../model-feed.ts';
import type { ManifestFault, WhatIfOptions, WhatIfRequest, WhatIfView } from '../screen-views.ts';
import { namespaceOf } from '../views/explain.ts';
import { whatIfView } from './what-if-view.ts';

/** Planning ends by then, steady or not. */
const MAX_PLANNING_MS = 20 * SECOND_MS;

/** Tries changes on snapshots. Nothing is changed in any cluster. */
export interface WhatIf {
  options(frame: ModelFrame): WhatIfOptions;
  /** @param fix - the proposed change; undefined if none is tried, and if it is not proposed any more */
  plan(frame: ModelFrame, request: WhatIfRequest, fix?: ExplainedFix): Promise<WhatIfView>;
}

export function createWhatIf(): WhatIf {
  /** The steady states of snapshots without a change, on which several changes are tried. */
  const unchanged = new WeakMap<ClusterSnapshot, Projection>();

  async function projectUnchanged(snapshot: ClusterSnapshot): Promise<Projection> {
    const cached = unchanged.get(snapshot);
    if (cached) return cached;
    const projected = await projectSteadyState(snapshot);
    if (projected.isSteady) unchanged.set(snapshot, projected);
    return projected;
  }

  return {
    options: listOptions,
    async plan(frame, request, fix) {
      const now = snapshotOf(frame);
      const fixed = request.fix ? fix && applyFix(now, fix, namespaceOf(request.fix.object)) : now;
      if (!fixed) return { outcome: 'refused', faults: [GONE_FIX] };
      const changes = readChanges(now, request);
      if (Array.isArray(changes)) return { outcome: 'refused', faults: changes };
      const outcome = compareOutcomes({
        now,
        unchanged: await projectUnchanged(now),
        changed: await projectSteadyState(changeSnapshot(fixed, changes)),
      });
      return whatIfView(outcome, request, {
        at: now.takenAt,
        isAssumed: frame.assumed !== undefined,
        fix,
      });
    },
  };
}

/** Without NodePools, the one in which Mortise scales the node groups. */
const snapshotOf = ({ assumed, snapshot }: ModelFrame): ClusterSnapshot => assumed ?? snapshot;

/** Plans until the cluster is steady; requests of pages are answered between two plans. */
async function projectSteadyState(snapshot: ClusterSnapshot): Promise<Projection> {
  const end = performance.now() + MAX_PLANNING_MS;
  let projection = startProjection(completeChanges(snapshot));
  while (!projection.isSteady && performance.now() < end) {
    projection = planNextRound(projection);
    await yieldToEventLoop();
  }
  return projection;
}

const GONE_FIX: ManifestFault = {
  text: 'The proposed change does not apply to this snapshot any more. Open the answer again.',
};

const FILE = 'what-if.yaml';

function readChanges(
  snapshot: ClusterSnapshot,
  { yaml = '', fix: _, ...changes }: WhatIfRequest,
): ClusterChanges | ManifestFault[] {
  if (yaml.trim() === '') return changes;
  const reading = readManifests([{ file: FILE, text: yaml }], listNodeClasses(snapshot));
  if (reading.outcome === 'read') return { ...changes, manifests: reading.manifests };
  return reading.problems.map(({ line, object, path, what, why, fix }) => ({
    line,
    text: `${[object, path, what].filter((part) => part !== undefined).join(': ')}. ${why}; ${fix}.`,
  }));
}

function listOptions(frame: ModelFrame): WhatIfOptions {
  const { pods, pools, offerings } = snapshotOf(frame);
  const scalable = pods.filter((pod) => !isDaemon(pod) && !isTerminal(pod) && pod.owner);
  const groups = Map.groupBy(scalable, (pod) => `${pod.namespace}/${workloadNameOf(pod)}`);
  return {
    workloads: [...groups.values()]
      .flatMap((equal) =>
        equal.slice(0, 1).map((pod) => ({
          namespace: pod.namespace,
          name: workloadNameOf(pod),
          pods: equal.length,
        })),
      )
      .toSorted((a, b) => b.pods - a.pods || (a.name < b.name ? -1 : 1)),
    zones: [...new Set(offerings.map(({ zone }) => zone))].toSorted(),
    pools: pools.map((pool) => ({ name: pool.name, yaml: writeNodePool(pool) })),
  };
}
