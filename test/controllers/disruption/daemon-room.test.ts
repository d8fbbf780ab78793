import { describe, expect, it } from 'vitest';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { HOSTNAME_LABEL, type Labels } from '../../../shared/model/labels.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { isDaemon } from '../../../shared/model/pods/workload.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { SimWorld } from '../../../shared/simulation/world.ts';
import { aWorld, podsIn } from '../../simulation/support.ts';
import {
  aDaemonSet,
  aDeployment,
  aNodePool,
  aPodDisruptionBudget,
  aPodSpec,
  aPodTemplate,
  aSelector,
  resources,
} from '../../support/builders.ts';

const NODES = 4;
/** Its pods never share a node, and each fills one of the smallest type. */
const web = aDeployment({
  replicas: NODES,
  template: aPodTemplate({
    spec: aPodSpec({
      requests: resources(1.75, 2, { pods: 1 }),
      podAntiAffinity: [{ key: HOSTNAME_LABEL, selector: aSelector(), matchLabelKeys: [], namespaces: [] }],
    }),
  }),
});
const pool = aNodePool({
  disruption: { consolidateAfterMs: 'Never', policy: 'WhenEmpty', budgets: [{ nodes: '1' }] },
});

/** A cluster of full nodes in which a DaemonSet is created after ten minutes. */
function aFullCluster(annotations: Labels = {}): SimWorld {
  const agent = aDaemonSet({
    name: 'agent',
    annotations: { 'simulation.mortise.sh/create-after': '10m', ...annotations },
    template: aPodTemplate({
      labels: { app: 'agent' },
      spec: aPodSpec({ requests: resources(0.5, 1, { pods: 1 }) }),
    }),
  });
  const world = aWorld({
    pools: [pool],
    workloads: [web, agent],
    podDisruptionBudgets: [aPodDisruptionBudget({ maxUnavailable: '1' })],
  });
  world.consume((hint) => dispatch(world.ports, hint));
  return world;
}

const isRunning = ({ phase, deletionAt }: Pod): boolean => phase === 'Running' && deletionAt === undefined;
const claimsOf = async ({ ports }: SimWorld) =>
  (await ports.nodeClaims.list()).records
    .map(({ claim }) => claim)
    .filter(({ terminatedAt }) => terminatedAt === undefined);

describe('a DaemonSet that is created while all nodes are full', () => {
  it('gets room on every node, one node after the other, without a web pod missing for long', async () => {
    const world = aFullCluster();
    await world.clock.runUntil(world.clock.now() + 12 * MINUTE_MS);
    const before = (await podsIn(world)).filter(isDaemon);
    expect(before.map(({ nodeName }) => nodeName)).toEqual(Array(NODES).fill(undefined));

    let mostDeleting = 0;
    let fewestWebs = NODES;
    const until = world.clock.now() + HOUR_MS;
    while (world.clock.now() < until) {
      await world.clock.runUntil(world.clock.now() + 10 * SECOND_MS);
      const deleting = (await claimsOf(world)).filter((one) => one.deletingAt !== undefined).length;
      const webs = (await podsIn(world)).filter((pod) => !isDaemon(pod) && isRunning(pod)).length;
      mostDeleting = Math.max(mostDeleting, deleting);
      fewestWebs = Math.min(fewestWebs, webs);
    }

    const pods = await podsIn(world);
    const nodes = (await claimsOf(world)).map(({ nodeName }) => nodeName).toSorted();
    const daemons = pods.filter((pod) => isDaemon(pod) && isRunning(pod));
    expect(daemons.map(({ nodeName }) => nodeName).toSorted()).toEqual(nodes);
    expect(pods.filter((pod) => !isDaemon(pod) && isRunning(pod))).toHaveLength(NODES);
    expect((await claimsOf(world)).filter(({ drift }) => drift)).toEqual([]);
    expect(mostDeleting).toBe(1);
    expect(fewestWebs).toBeGreaterThanOrEqual(NODES - 1);
    const reasons = world.events().flatMap(({ event }) => (event.kind === 'replace-drifted' ? [event.reason] : []));
    expect(new Set(reasons)).toEqual(new Set(['NoRoomForDaemonSet']));
  });

  it('waits if it does not want room to be made', async () => {
    const world = aFullCluster({ 'mortise.sh/make-room': 'false' });
    await world.clock.runUntil(world.clock.now() + HOUR_MS);

    const daemons = (await podsIn(world)).filter(isDaemon);
    expect(daemons.filter(isRunning)).toEqual([]);
    expect(daemons).toHaveLength(NODES);
    expect(world.events().filter(({ event }) => event.kind === 'drifted')).toEqual([]);
  });
});
