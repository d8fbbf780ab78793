import { decideDisruption } from '../../shared/controllers/disruption/decide-disruption.ts';
import { decideProvisioning, UNLIMITED_INPUT } from '../../shared/controllers/provisioning/decide-provisioning.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import type { DisruptionCommand } from '../../shared/model/plans.ts';
import { isProvisionable } from '../../shared/model/pods/disruption-pods.ts';
import type { EpochMs } from '../../shared/model/time.ts';
import { SECOND_MS } from '../../shared/model/time.ts';
import type { Decision } from '../../shared/ports/decision-log.ts';

/** Plans for a cluster that something else scales: nothing is stored, and nothing acts. */
export interface LivePlanner {
  /**
   * Plans again if the last plans were made long enough ago.
   *
   * @param snapshot - with assumed NodePools if the cluster has none
   * @returns when a plan is due that was put off; undefined if none was
   */
  update(snapshot: ClusterSnapshot): EpochMs | undefined;
  decisions(): readonly Decision[];
  /** The removal or replacement that the planner would do now. */
  proposal(): DisruptionCommand | undefined;
}

/** Plans take at most this share of the time, so that the page stays responsive. */
const MAX_LOAD = 0.2;
const PLAN_EVERY_MS = 500;
const CONSOLIDATE_EVERY_MS = 3 * SECOND_MS;
/** Half an hour of plans. */
const KEPT_DECISIONS = 600;

export function createLivePlanner(): LivePlanner {
  let decisions: readonly Decision[] = [];
  let proposal: DisruptionCommand | undefined;
  let count = 0;
  const placing = paced(PLAN_EVERY_MS);
  const consolidating = paced(CONSOLIDATE_EVERY_MS);

  const nextId = (): string => {
    count += 1;
    return `console-${count}`;
  };
  const keep = (decision: Decision): void => {
    decisions = [...decisions.slice(1 - KEPT_DECISIONS), decision];
  };

  return {
    update(snapshot) {
      const at = snapshot.takenAt;
      const planPods = (): void => {
        const id = nextId();
        const plan = decideProvisioning({ ...UNLIMITED_INPUT, snapshot }, id);
        keep({ id, at, kind: 'provisioning', plan });
      };
      const planRemovals = (): void => {
        const id = nextId();
        const plan = decideDisruption({ kind: 'disruption', snapshot, running: [] }, id);
        proposal = plan.command;
        keep({ id, at, kind: 'disruption', plan });
      };
      const isPodWaiting = snapshot.pods.some(isProvisionable);
      const putOff = [isPodWaiting ? placing(at, planPods) : undefined, consolidating(at, planRemovals)];
      const due = putOff.filter((one) => one !== undefined);
      return due.length === 0 ? undefined : Math.min(...due);
    },
    decisions: () => decisions,
    proposal: () => proposal,
  };
}

/** Runs work at most every `everyMs`, and at most for its share of the time. @returns when it is due, if not now */
function paced(everyMs: number): (now: EpochMs, work: () => void) => EpochMs | undefined {
  let dueAt = Number.NEGATIVE_INFINITY;
  return (now, work) => {
    if (now < dueAt) return dueAt;
    const began = performance.now();
    work();
    dueAt = now + Math.max(everyMs, (performance.now() - began) / MAX_LOAD);
    return undefined;
  };
}
