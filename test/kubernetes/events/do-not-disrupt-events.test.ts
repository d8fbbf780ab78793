import { describe, expect, it } from 'vitest';
import { listDoNotDisruptEvents } from '../../../shared/kubernetes/events/kubernetes-events.ts';
import { DO_NOT_DISRUPT_ANNOTATION } from '../../../shared/model/labels.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { aPod, aRunningPod, NOON } from '../../support/builders.ts';

const annotated = (value: string) => ({ annotations: { [DO_NOT_DISRUPT_ANNOTATION]: value } });
const reasonsFor = (value: string, afterMs = MINUTE_MS) =>
  listDoNotDisruptEvents([aRunningPod('node-1', annotated(value))], NOON + afterMs).map(
    ({ type, reason }) => `${type} ${reason}`,
  );

describe('the Events about do-not-disrupt of a running pod', () => {
  it.each([
    ['say until when a duration protects it', '30m', MINUTE_MS, ['Normal DoNotDisruptUntil']],
    ['say that the duration is over', '30m', 31 * MINUTE_MS, ['Normal DoNotDisruptGracePeriodElapsed']],
    ['say nothing long after its end', '30m', 60 * MINUTE_MS, []],
    ['warn of a value that is ignored', 'yes', MINUTE_MS, ['Warning InvalidDoNotDisruptAnnotation']],
    ['say nothing about true', 'true', MINUTE_MS, []],
    ['say nothing about false', 'false', MINUTE_MS, []],
  ])('%s', (_, value, afterMs, expected) => {
    expect(reasonsFor(value, afterMs)).toEqual(expected);
  });

  it('leave out pods that wait for a node', () => {
    expect(listDoNotDisruptEvents([aPod(annotated('yes'))], NOON)).toEqual([]);
  });
});
