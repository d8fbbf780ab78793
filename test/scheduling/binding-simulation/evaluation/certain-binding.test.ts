import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../shared/model/pods/pod.ts';
import { listBindingOrders } from '../../../../shared/scheduling/binding-simulation/evaluation/binding-orders.ts';
import { bindsInAnyOrder } from '../../../../shared/scheduling/binding-simulation/evaluation/certain-binding.ts';
import { createBindingSimulator } from '../../../../shared/scheduling/binding-simulation/scheduler-model/simulate-binding.ts';
import { buildSimulatedCluster } from '../../../../shared/scheduling/binding-simulation/scheduler-model/simulated-cluster.ts';
import { aCluster, createPods, createStepTypes, HOSTNAME, requesting, spreadOver } from '../../support/fixture.ts';
import { packAndEvaluate } from '../evaluated-packing.ts';

/** Packs the pods, and then has each of the nodes `copies` times. */
function prepare(pods: readonly Pod[], copies: number) {
  const { context, evaluated } = packAndEvaluate(aCluster({ types: createStepTypes(8), pods }));
  const { podClasses } = context;
  const nodes = Array.from({ length: copies }, () => evaluated.nodes).flat();
  const { newNodes } = evaluated.packing.packingState;
  const orders = listBindingOrders(new Map(), newNodes, podClasses);
  const planned = orders.make(0).pods;
  return {
    isProved: bindsInAnyOrder(planned, () => nodes.map(({ kind }) => kind)),
    displaced: () => {
      const simulate = createBindingSimulator(buildSimulatedCluster(podClasses, nodes));
      return Array.from({ length: orders.count }, (_, number) => simulate(orders.make(number))).flat();
    },
  };
}

const aFewPods = fc
  .array(fc.record({ count: fc.integer({ min: 1, max: 4 }), cpus: fc.integer({ min: 1, max: 7 }) }), {
    minLength: 2,
    maxLength: 4,
  })
  .map((kinds) =>
    kinds.flatMap(({ count, cpus }, kind) => createPods(count, `kind-${kind}`, { requests: requesting(cpus / 2, 1) })),
  );

describe('a proof that all pods bind', () => {
  it('is confirmed by every simulated order', () => {
    fc.assert(
      fc.property(aFewPods, fc.integer({ min: 1, max: 6 }), (pods, copies) => {
        const { isProved, displaced } = prepare(pods, copies);
        if (isProved) expect(displaced()).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  const [small, large] = [
    createPods(6, 'small', { requests: requesting(0.5, 1) }),
    createPods(1, 'large', { requests: requesting(6, 3) }),
  ];

  it('is found if the other pods cannot fill all nodes with room for a pod', () => {
    expect(prepare([...small, ...large], 8).isProved).toBe(true);
  });

  it('is not found if they can', () => {
    expect(prepare([...small, ...large], 1).isProved).toBe(false);
  });

  it('is not found if topology rules restrict a pod', () => {
    const spread = createPods(2, 'spread', {
      requests: requesting(0.5, 1),
      topologySpread: [spreadOver(HOSTNAME)],
    });
    expect(prepare([...small, ...large, ...spread], 8).isProved).toBe(false);
  });
});
