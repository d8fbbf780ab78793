import { describe, expect, it } from 'vitest';
import { takePods } from '../../../../shared/scheduling/assignment/pod-groups.ts';
import {
  withMergedNodes,
  withoutNodes,
} from '../../../../shared/scheduling/binding-simulation/repair-moves/remove-nodes.ts';
import { listOtherSizes } from '../../../../shared/scheduling/binding-simulation/repair-moves/resize-nodes.ts';
import {
  withOwnNodes,
  withSmallNodes,
} from '../../../../shared/scheduling/binding-simulation/repair-moves/separate-nodes.ts';
import { NO_NODE_COSTS } from '../../../../shared/scheduling/input/node-costs.ts';
import { openNodeWith } from '../../../../shared/scheduling/packing/constructions/first-fit.ts';
import { findCheapestType } from '../../../../shared/scheduling/packing/new-nodes/new-node.ts';
import type { PodClass } from '../../../../shared/scheduling/pods/pod-classes.ts';
import { aCluster, affinityTo, createPods, createStepTypes, HOSTNAME, requesting } from '../../support/fixture.ts';
import { packAndEvaluate } from '../evaluated-packing.ts';

const small = createPods(12, 'small', { requests: requesting(0.5, 1) });
const large = createPods(3, 'large', { requests: requesting(6, 3) });
const mixed = packAndEvaluate(aCluster({ types: createStepTypes(32), pods: [...small, ...large] }));

const classOf = (name: string): PodClass => {
  const cls = mixed.podGroups.find((podGroup) => podGroup.cls.pods[0]?.includes(name))?.cls;
  if (!cls) throw new Error(`no class ${name}`);
  return cls;
};

describe('withOwnNodes', () => {
  it('moves displaced pods to new nodes and keeps their old room spare', () => {
    const { evaluated, podGroups } = mixed;
    const cls = classOf('small');
    const { newNodes } = evaluated.packing.packingState;

    const separated = withOwnNodes(evaluated, [{ cls, pods: 3, nodes: [0] }], podGroups);

    expect(separated?.packingState.newNodes.length).toBeGreaterThan(newNodes.length);
    expect(separated?.packingState.newNodes.some(({ spareRoom }) => spareRoom.some((amount) => amount > 0))).toBe(true);
  });

  it('returns undefined for pods that must stay with other pods', () => {
    const requests = requesting(0.5, 1);
    const pods = [
      ...createPods(1, 'anchor', { requests }, { app: 'anchor' }),
      ...createPods(3, 'near', { requests, podAffinity: [affinityTo('anchor', HOSTNAME)] }, { app: 'near' }),
    ];
    const { evaluated, podGroups } = packAndEvaluate(aCluster({ types: createStepTypes(8), pods }));

    for (const { cls } of podGroups) {
      expect(withOwnNodes(evaluated, [{ cls, pods: 1, nodes: [0] }], podGroups)).toBeUndefined();
    }
  });
});

describe('withSmallNodes', () => {
  it.each([1, 2, 4])('puts at most %d pods of the class on a node, so that no larger pod fits', (maxPods) => {
    const { context, evaluated, podGroups } = mixed;

    const packing = withSmallNodes(classOf('small'), maxPods, evaluated.packing, podGroups, context.problem);

    const held = packing?.packingState.newNodes.flatMap(({ podCounts }) =>
      [...podCounts].flatMap(([{ cls }, count]) => (cls === classOf('small') ? [count] : [])),
    );
    expect(held?.reduce((all, count) => all + count, 0)).toBe(small.length);
    expect(Math.max(...(held ?? []))).toBeLessThanOrEqual(maxPods);
  });
});

describe('listOtherSizes', () => {
  const { context, evaluated } = mixed;
  const { packingState } = evaluated.packing;
  const usdOf = (newNode: (typeof packingState.newNodes)[number]) =>
    findCheapestType(newNode, context.problem).hourlyUsd;

  it('lists larger sizes up to the given price', () => {
    const [first] = packingState.newNodes;
    const usd = first ? usdOf(first) : 0;

    const prices = listOtherSizes(packingState, 0, 1, context.problem).map(usdOf);

    expect(prices.length).toBeGreaterThan(0);
    expect(Math.max(...prices)).toBeLessThanOrEqual(usd + 1);
    expect(Math.max(...prices)).toBeGreaterThan(usd);
  });

  it('lists none if the smallest type is just as large as its pods', () => {
    expect(listOtherSizes(packingState, 0, 0, context.problem)).toEqual([]);
  });
});

describe('a packing with fewer nodes', () => {
  const pods = createPods(4, 'any', { requests: requesting(1, 2) });
  const onePodPerNode = packAndEvaluate(aCluster({ types: createStepTypes(16), pods }), (packingState, podGroups) => {
    for (const podGroup of podGroups) {
      const [option] = podGroup.options;
      for (; option && podGroup.count > 0; takePods(podGroup, 1))
        openNodeWith(packingState, { ...podGroup, count: 1 }, option);
    }
  });

  it('results from merging two nodes', () => {
    const { packing } = onePodPerNode.evaluated;

    const merged = withMergedNodes(packing, 0, 1);

    expect(packing.packingState.newNodes).toHaveLength(4);
    expect(merged?.packingState.newNodes).toHaveLength(3);
    expect(withMergedNodes(packing, 1, 1)).toBeUndefined();
  });

  it('results from dissolving nodes if their pods join other nodes', () => {
    const nodesIf = (join: boolean) =>
      withoutNodes(onePodPerNode.evaluated.packing, new Set([0, 1]), {
        join,
        nodeCosts: NO_NODE_COSTS,
      })?.packingState.newNodes;

    expect(nodesIf(true)).toHaveLength(2);
    expect(nodesIf(false)).toHaveLength(3);
  });
});
