import { describe, expect, it } from 'vitest';
import { createLiveEvents } from '../../../cli/console/live-events.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { anInitializedClaim, aRunningPod, aSnapshot, NOON } from '../../support/builders.ts';

const draining = anInitializedClaim('node-1', {
  name: 'general-1',
  deletingAt: NOON,
  removal: 'Underutilized',
});
const web = aRunningPod('node-1', {
  name: 'web',
  owner: { kind: 'ReplicaSet', name: 'web', uid: 'rs-web' },
});

/** The events between two looks at a node that is drained. */
function eventsBetween(before: readonly Pod[], after: readonly Pod[]) {
  const events = createLiveEvents();
  const look = (pods: readonly Pod[], takenAt: number) =>
    events.update(aSnapshot({ claims: [draining], pods, takenAt }), []);
  look(before, NOON);
  look(after, NOON + MINUTE_MS);
  return events.list().map(({ event }) => event);
}

const evictedWeb = {
  kind: 'evicted',
  at: NOON + MINUTE_MS,
  claim: 'general-1',
  node: 'node-1',
  pod: 'default/web',
  reason: 'Underutilized',
};

describe('the events of a cluster that something else scales', () => {
  it('contain each pod that leaves a draining node', () => {
    expect(eventsBetween([web], [])).toEqual([evictedWeb]);
    expect(eventsBetween([web], [{ ...web, deletionAt: NOON + MINUTE_MS }])).toEqual([evictedWeb]);
  });

  it('contain no pod that stays, has finished, or was terminating already', () => {
    expect(eventsBetween([web], [web])).toEqual([]);
    expect(eventsBetween([web], [{ ...web, phase: 'Succeeded' }])).toEqual([]);
    expect(eventsBetween([{ ...web, deletionAt: NOON }], [])).toEqual([]);
  });
});
