import type { TimelinePhase } from '../../shared/lifecycle/claim-timeline.ts';
import type { Timeline } from '../documents/node-claim-timeline.ts';
import { durationText } from './numbers.ts';

const SENTENCES: Readonly<Record<TimelinePhase, string>> = {
  'pod-pending': 'first pod pending',
  decided: 'decided, NodeClaim committed',
  'fleet-requested': 'CreateFleet called',
  launched: 'launched',
  registered: 'registered',
  initialized: 'initialized',
  'pod-running': 'first planned pod running',
  deleted: 'deleted',
  'drain-started': 'drain started',
  drained: 'pods evicted',
  'volumes-detached': 'volumes detached',
  'instance-terminating': 'termination requested',
  terminated: 'instance terminated',
};

const DURATION_WIDTH = 8;

/** Formats one line per phase: time (UTC), duration since the line before, sentence. */
export function timelineText(timeline: Timeline): string {
  const { nodeClaim, instanceType, capacityType, zone, startMs, waitsFor } = timeline;
  const head = [nodeClaim, [instanceType, capacityType, zone].filter(Boolean).join(' ')];
  return [
    head.filter((part) => part !== '').join('  '),
    ...timeline.phases.map(({ name, at, ms, decision }) => {
      const took = (ms === undefined ? '' : secondsText(ms)).padStart(DURATION_WIDTH);
      const by = decision === undefined ? '' : ` (${decision})`;
      const total = name === 'pod-running' && startMs !== undefined ? `; ${secondsText(startMs)} in all` : '';
      return `${at.slice(0, 10)} ${at.slice(11, 21)}${took}  ${SENTENCES[name]}${by}${total}`;
    }),
    ...(waitsFor ? [waitText(waitsFor)] : []),
    '',
  ].join('\n');
}

/** `0.8s`, `28.6s`, `3m12s`. */
export const secondsText = (ms: number): string =>
  ms < 60_000 ? `${(ms / 1000).toFixed(1)}s` : durationText(Math.round(ms / 1000) * 1000);

function waitText({ condition, reason, message, since }: NonNullable<Timeline['waitsFor']>) {
  const from = since === undefined ? '' : ` since ${since}`;
  return `waits for ${condition}${from}: ${reason}${message === '' ? '' : `, ${message}`}`;
}
