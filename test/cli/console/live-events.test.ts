import { describe, expect, it } from 'vitest';
import { createLiveEvents } from '../../../cli/console/live-events.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { aLaunch, aNode, anInitializedClaim, aRunningPod, aSnapshot, NOON } from '../../support/builders.ts';

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

/** The events between looks at claims and nodes, a minute apart. */
function eventsOfNodes(...looks: readonly Pick<ClusterSnapshot, 'claims' | 'nodes'>[]) {
  const events = createLiveEvents();
  looks.forEach((look, index) => {
    events.update(aSnapshot({ ...look, takenAt: NOON + index * MINUTE_MS }), []);
  });
  return events.list().map(({ event }) => event);
}

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

  it('say once that a node is ready, although its Node joins before its NodeClaim names it', () => {
    const launch = aLaunch({ providerId: 'aws:///us-east-1a/i-1' });
    const {
      initializedAt: _,
      nodeName: _name,
      ...launched
    } = anInitializedClaim('node-1', {
      name: 'general-1',
      launch,
    });
    const initialized = { ...launched, nodeName: 'node-1', initializedAt: NOON + 2 * MINUTE_MS };
    const node = aNode({ name: 'node-1', providerId: launch.providerId });

    expect(
      eventsOfNodes(
        { claims: [launched], nodes: [] },
        { claims: [launched], nodes: [node] },
        { claims: [initialized], nodes: [node] },
      ),
    ).toEqual([{ kind: 'ready', at: NOON + 2 * MINUTE_MS, claim: 'general-1', waitedMs: 0 }]);
  });

  it('say once that a node is gone, although its Node goes after its NodeClaim', () => {
    const claim = anInitializedClaim('node-1', { name: 'general-1', createdAt: NOON });
    const node = aNode({ name: 'node-1' });

    expect(
      eventsOfNodes(
        { claims: [claim], nodes: [node] },
        { claims: [], nodes: [node] },
        { claims: [], nodes: [node] },
        { claims: [], nodes: [] },
      ),
    ).toEqual([{ kind: 'terminated', at: NOON + MINUTE_MS, claim: 'general-1', livedMs: MINUTE_MS }]);
  });

  it('contain the nodes that have no NodeClaim', () => {
    const node = aNode({ name: 'group-1', createdAt: NOON });
    const looks = [[], [node], []].map((nodes) => ({ claims: [], nodes }));

    expect(eventsOfNodes(...looks)).toEqual([
      { kind: 'ready', at: NOON + MINUTE_MS, claim: 'group-1', waitedMs: 0 },
      {
        ...{ kind: 'terminated', at: NOON + 2 * MINUTE_MS },
        ...{ claim: 'group-1', livedMs: 2 * MINUTE_MS },
      },
    ]);
  });
});
