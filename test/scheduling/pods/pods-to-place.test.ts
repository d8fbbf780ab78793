import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { aRunningPod } from '../../support/builders.ts';
import { aCluster, tiny } from '../support/fixture.ts';
import { provision } from '../support/provision.ts';

const waiting = tiny('a');
const { unschedulableSince: _, ...untried } = waiting;
const owner = (kind: string) => ({ kind, name: 'owner', uid: 'owner' });

describe('pods to place', () => {
  it.each<[string, Pod]>([
    ['one that kube-scheduler has not tried', untried],
    ['one that preempts others', { ...waiting, nominatedNodeName: 'node-1' }],
    ['one of a DaemonSet', { ...waiting, owner: owner('DaemonSet') }],
    ['a static one', { ...waiting, owner: owner('Node') }],
    ['one that is bound', aRunningPod('node-1')],
  ])('do not include %s', (__, pod) => {
    expect(provision(aCluster(), pod).plan).toEqual({
      claims: [],
      placements: [],
      unplaced: [],
      hourlyUsd: 0,
    });
  });

  it('stay pending without any NodePool', () => {
    const outcome = provision(aCluster({ pools: [] }), waiting);

    expect(outcome.pending).toEqual(['a']);
    expect(outcome.launched).toEqual([]);
  });
});
