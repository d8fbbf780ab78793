import { DO_NOT_DISRUPT_ANNOTATION } from '../../model/labels.ts';
import { findDoNotDisruptEnd, isActive } from '../../model/pods/disruption-pods.ts';
import { type Pod, podKey } from '../../model/pods/pod.ts';
import { type EpochMs, formatInstant, MINUTE_MS } from '../../model/time.ts';
import type { EventReason } from './event-reasons.ts';
import type { UserEvent } from './user-events.ts';

const QUIET_MS = 15 * MINUTE_MS;
/** Disruption is planned every minute, so one of the plans sees the end of each protection. */
const RECENT_MS = 5 * MINUTE_MS;

/**
 * The Events about the annotation `karpenter.sh/do-not-disrupt` of running pods: until when a
 * duration protects the pod, that this time is over, or that the value is ignored.
 */
export const listDoNotDisruptEvents = (pods: readonly Pod[], now: EpochMs): readonly UserEvent[] =>
  pods.flatMap((pod) => {
    const value = pod.annotations[DO_NOT_DISRUPT_ANNOTATION];
    if (value === undefined || pod.nodeName === undefined) return [];
    if (!isActive(pod)) return [];
    return explainAnnotation(pod, value, now);
  });

function explainAnnotation(pod: Pod, value: string, now: EpochMs): readonly UserEvent[] {
  const event = (reason: EventReason, note: string, about: string): readonly UserEvent[] => [
    {
      reason,
      type: reason === 'InvalidDoNotDisruptAnnotation' ? 'Warning' : 'Normal',
      subject: { kind: 'Pod', pod: podKey(pod) },
      note,
      quietMs: QUIET_MS,
      about,
    },
  ];
  const end = findDoNotDisruptEnd(pod);
  if (end === undefined) {
    if (value === 'false') return [];
    const note = `do-not-disrupt is neither true nor a positive duration such as 30m: ${value}. It is ignored.`;
    return event('InvalidDoNotDisruptAnnotation', note, value);
  }
  if (!Number.isFinite(end)) return [];
  const at = formatInstant(end);
  if (end > now) return event('DoNotDisruptUntil', `do-not-disrupt protects it until ${at}.`, at);
  if (end <= now - RECENT_MS) return [];
  return event('DoNotDisruptGracePeriodElapsed', `do-not-disrupt ended at ${at}.`, at);
}
