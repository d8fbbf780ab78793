import { SECOND_MS } from '../../shared/model/time.ts';
import { earliest, toClaimTimes } from '../describe/live-claim.ts';
import { LAUNCH_PHASES, type LaunchPhase } from '../documents/try-launch.ts';
import type { Observation } from './observe-launch.ts';

export type PhaseTimes = Readonly<Partial<Record<LaunchPhase, number>>>;

/** Adds the phases that an observation shows. Phases without a recorded time get that of the observation. */
export function addPhases(before: PhaseTimes, observed: Observation, now: number): PhaseTimes {
  const { claim, record, events } = observed;
  const times = claim && { ...toClaimTimes(claim, []), ...record };
  const reported = events.find(({ reason, reporter }) => reason === 'FailedScheduling' && reporter !== 'mortise');
  const observedTimes: Record<LaunchPhase, number | undefined> = {
    'pod-created': undefined,
    'event-seen': reported?.at,
    decided: times?.createdAt,
    'fleet-requested': times?.launch && 'calledAt' in times.launch ? times.launch.calledAt : undefined,
    'fleet-answered': times?.launch?.at,
    running: observed.instanceState === 'running' ? now : undefined,
    registered: times?.registeredAt,
    ready: earliest([times?.initializedAt ?? [], isOpen(observed) ? now : []].flat()),
    bound: observed.boundTo === undefined ? undefined : now,
  };
  return Object.fromEntries(
    LAUNCH_PHASES.flatMap((phase) => {
      // A second launch after a refusal moves these.
      const moves = MOVING.has(phase) && before.registered === undefined;
      const at = moves ? (observedTimes[phase] ?? before[phase]) : (before[phase] ?? observedTimes[phase]);
      return at === undefined ? [] : [[phase, at]];
    }),
  );
}

/**
 * True if the node takes pods. A bound pod proves it: the NoExecute taint of a node that was not ready
 * stays for seconds after kube-scheduler may bind to it, and `Initialized` is recorded later still.
 */
const isOpen = ({ boundTo, node }: Observation): boolean =>
  boundTo !== undefined || (node?.isReady === true && node.taints.length === 0);

const MOVING: ReadonlySet<LaunchPhase> = new Set(['decided', 'fleet-requested', 'fleet-answered']);

/** Orders phases by time, each with the time since the one before. */
export function listPhases(times: PhaseTimes) {
  return LAUNCH_PHASES.flatMap((name) => {
    const at = times[name];
    return at === undefined ? [] : [{ name, at }];
  })
    .toSorted((a, b) => a.at - b.at)
    .map(({ name, at }, index, all) => {
      const before = all[index - 1];
      return {
        name,
        at: new Date(at).toISOString(),
        ...(before && { ms: Math.round(at - before.at) }),
      };
    });
}

/** The first phase that is still to come; `running` is only known with a right of EC2. */
export const findAwaitedPhase = (times: PhaseTimes): LaunchPhase | undefined =>
  AWAITED.find((phase) => times[phase] === undefined);

const AWAITED: readonly LaunchPhase[] = ['decided', 'fleet-answered', 'registered', 'ready', 'bound'];

/** kube-scheduler and the planner answer in seconds; a node of AWS takes about a minute. */
const DECIDED_WITHIN_MS = 60 * SECOND_MS;
/** After a refusal of EC2 the planner takes another offering within seconds, if there is one. */
const PLANNED_AGAIN_WITHIN_MS = 15 * SECOND_MS;

export interface Waiting {
  readonly phase: LaunchPhase;
  /** Since when no phase was reached. */
  readonly since: number;
  readonly now: number;
  /** The limit for each phase. */
  readonly timeoutMs: number;
}

/** True if it is time to say what is wrong: because that is certain, or because nothing has happened for long. */
export function isStuck(observed: Observation, { phase, since, now, timeoutMs }: Waiting): boolean {
  const waited = now - since;
  if (waited >= timeoutMs) return true;
  if (observed.instanceState !== undefined && ENDED.has(observed.instanceState)) return true;
  const isRefused = observed.events.some(({ reason, reporter }) => reporter === 'mortise' && REFUSALS.has(reason));
  if (isRefused && (phase === 'decided' || observed.claim === undefined))
    return waited >= Math.min(timeoutMs, PLANNED_AGAIN_WITHIN_MS);
  return phase === 'decided' && waited >= DECIDED_WITHIN_MS;
}

export const ENDED: ReadonlySet<string> = new Set(['shutting-down', 'terminated', 'stopping', 'stopped']);

const REFUSALS: ReadonlySet<string> = new Set([
  'FailedScheduling',
  'InsufficientCapacityError',
  'LaunchesCapped',
  'PlanningFailed',
]);
