import { describe, expect, it } from 'vitest';
import { assignBatch } from '../../../shared/scheduling/assignment/assign-batch.ts';
import { ALL_DOMAINS, toCapKey } from '../../../shared/scheduling/assignment/place-next-pods.ts';
import { prepare } from '../../../shared/scheduling/input/problem.ts';
import { packFirstFit } from '../../../shared/scheduling/packing/constructions/first-fit.ts';
import { pack } from '../../../shared/scheduling/packing/packing.ts';
import {
  type CapRule,
  capClass,
  capDomain,
  dropClass,
  type MutableDomainCaps,
  type PackingOutcome,
} from '../../../shared/scheduling/search/domain-caps.ts';
import { aCluster, aPool, createPods, fakeType, requesting, spreadOver, ZONE } from '../support/fixture.ts';

/**
 * Three pods over three zones, and another pod; the NodePool allows two nodes, each with room for
 * one pod.
 */
function cutShort() {
  const requests = requesting(1, 1);
  const spread = { requests, topologySpread: [spreadOver(ZONE)] };
  const cluster = aCluster({
    pools: [aPool({ limits: { nodes: 2 } })],
    types: [fakeType('for-one', { cpus: 2, gib: 4 })],
    pods: [...createPods(3, 'web', spread, { app: 'web' }), ...createPods(1, 'small', { requests: requesting(0.5) })],
  });
  const assigned = assignBatch(prepare(cluster), cluster.pods);
  const packing = pack(assigned.problem, assigned.podGroups, packFirstFit);
  const [unit] = packing.unplaced.keys();
  if (!unit) throw new Error('a pod is left');
  const outcome: PackingOutcome = { assigned, packing, cutGroups: [unit] };
  return { unit, outcome, zones: assigned.podGroups.filter(({ cls }) => cls === unit.cls).length };
}

const { unit, outcome, zones } = cutShort();

/** The caps of the pods that were left, by key, and the number of classes with caps. */
function taught(capRule: CapRule, before: readonly (readonly [string, number])[] = []) {
  const caps: MutableDomainCaps = new Map([[unit.cls, new Map(before)]]);
  capRule(caps, outcome);
  return { classes: [...caps.keys()], caps: Object.fromEntries(caps.get(unit.cls) ?? []) };
}

describe('domain caps', () => {
  it('limit a zone to the pods that it took', () => {
    expect(zones).toBe(3);
    expect(taught(capDomain)).toEqual({ classes: [unit.cls], caps: { [toCapKey(unit)]: 0 } });
  });

  it('limit all zones together to the pods that they took', () => {
    expect(taught(capClass)).toEqual({ classes: [unit.cls], caps: { [ALL_DOMAINS]: 2 } });
  });

  it('finally exclude new nodes, whatever caps there were before', () => {
    const learnt = [
      [ALL_DOMAINS, 2],
      [toCapKey(unit), 1],
    ] as const;

    expect(taught(dropClass, learnt)).toEqual({
      classes: [unit.cls],
      caps: { [ALL_DOMAINS]: 0, [toCapKey(unit)]: 1 },
    });
  });

  it('are empty if no pods were left', () => {
    const caps: MutableDomainCaps = new Map();
    for (const capRule of [capDomain, capClass, dropClass]) capRule(caps, { ...outcome, cutGroups: [] });

    expect(caps).toEqual(new Map());
  });
});
