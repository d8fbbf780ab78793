import { describe, expect, it } from 'vitest';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import type { ClusterEvent } from '../../../shared/model/explanations/events.ts';
import { HOSTNAME_LABEL, REGISTERED_LABEL } from '../../../shared/model/labels.ts';
import type { Taint } from '../../../shared/model/requirements/taints.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { SimWorld } from '../../../shared/simulation/world.ts';
import { aWorld, podsIn, runFor } from '../../simulation/support.ts';
import {
  aDeployment,
  aPodSpec,
  aPodTemplate,
  aSelector,
  resources,
} from '../../support/builders.ts';

const QUARANTINE: Taint = { key: 'security.example.com/quarantine', effect: 'NoSchedule' };

/** Simulates a controller that taints each Node right after it registers, until `until`. */
function taintEachNode(world: SimWorld, until = Number.POSITIVE_INFINITY): void {
  const { clock, ports } = world;
  async function taintNewNodes(): Promise<void> {
    const { nodes } = await ports.cluster.observe();
    for (const node of nodes) {
      const isTainted = node.taints.some(({ key }) => key === QUARANTINE.key);
      if (node.labels[REGISTERED_LABEL] !== 'true' || isTainted) continue;
      await ports.cluster.changeNode(node, { taints: [...node.taints, QUARANTINE] });
    }
    if (clock.now() < until) clock.schedule(clock.now() + SECOND_MS, taintNewNodes);
  }
  clock.schedule(clock.now(), taintNewNodes);
}

/** Twenty pods that must each have a node of their own, under the product's controllers. */
function aWorldOfTwentyPods(spec = {}): SimWorld {
  const deployment = aDeployment({
    replicas: 20,
    template: aPodTemplate({ spec: aPodSpec({ requests: resources(1, 1, { pods: 1 }), ...spec }) }),
  });
  const world = aWorld({ workloads: [deployment] });
  world.consume((hint) => dispatch(world.ports, hint));
  return world;
}

const oncePerHost = {
  podAntiAffinity: [
    { key: HOSTNAME_LABEL, selector: aSelector(), matchLabelKeys: [], namespaces: ['default'] },
  ],
};

const launchesOf = (world: SimWorld): number => world.ledger.billedNodes.length;

describe('pods whose nodes do not receive them', () => {
  it.each([
    ['share nodes', {}],
    ['need a node each', oncePerHost],
  ])(
    'cause a bounded number of launches while a controller taints every node: they %s',
    async (_, spec) => {
      const world = aWorldOfTwentyPods(spec);
      taintEachNode(world);
      await runFor(world, 2 * HOUR_MS);

      console.log(
        launchesOf(world),
        world.ledger.points.at(-1),
        world.ledger.billedNodes
          .map((n) => n.removal)
          .slice(0, 50)
          .join(),
      );
      expect(launchesOf(world)).toBeGreaterThan(0);
      expect(launchesOf(world)).toBeLessThan(60);
    },
    60_000,
  );
});
