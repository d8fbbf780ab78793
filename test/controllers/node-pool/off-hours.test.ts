import { describe, expect, it } from 'vitest';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { createBundledCatalogue } from '../../../shared/ec2/catalogue/bundled-catalogue.ts';
import { formatInstant, HOUR_MS } from '../../../shared/model/time.ts';
import { createWorld } from '../../../shared/simulation/create-world.ts';
import type { SimWorld } from '../../../shared/simulation/world.ts';
import { aDeployment, aNodeClass, aNodePool, aPodSpec, aPodTemplate, NOON, resources } from '../../support/builders.ts';

/** A NodePool with off hours from 12:30 to 14:00 in UTC. The clock starts at noon. */
function anOfficeWorld(offHoursNodes: number, hooks: boolean): SimWorld {
  const pool = aNodePool({
    hours: {
      windows: [
        { schedule: '0 6 * * *', durationMs: 6.5 * HOUR_MS },
        { schedule: '0 14 * * *', durationMs: 8 * HOUR_MS },
      ],
      offHoursNodes,
    },
    requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m7g.large'] }],
    disruption: {
      consolidateAfterMs: 'Never',
      policy: 'WhenEmptyOrUnderutilized',
      budgets: [{ nodes: '50%' }],
    },
  });
  const spec = aPodSpec({ requests: resources(1.5, 2, { pods: 1 }) });
  const world = createWorld({
    seed: 1,
    startAt: NOON,
    catalogue: createBundledCatalogue(() => aNodeClass()),
    manifests: {
      pools: [pool],
      nodeClasses: [aNodeClass()],
      workloads: [aDeployment({ replicas: 4, template: aPodTemplate({ spec }) })],
      pods: [],
      podDisruptionBudgets: [],
      skipped: [],
    },
    options: { interruptionsPerHour: 0, shortageShare: 0, hooks },
  });
  world.consume((hint) => dispatch(world.ports, hint));
  return world;
}

/** The nodes and the running pods at these times. */
async function observe(world: SimWorld, times: readonly string[]): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const time of times) {
    await world.clock.runUntil(Date.parse(time));
    const { nodes, pods } = await world.ports.cluster.observe();
    const running = pods.filter(({ phase }) => phase === 'Running').length;
    lines.push(`${formatInstant(world.clock.now()).slice(11, 16)} ${nodes.length}/${running}`);
  }
  return lines;
}

const TIMES = ['12:29', '12:50', '13:54', '14:00', '14:10'].map((time) => `2026-01-01T${time}:00Z`);

describe('a NodePool with hours', () => {
  it.each([
    ['with webhooks', true],
    ['with sweeps alone', false],
  ])('has no nodes in its off hours, and all of them when its hours begin, %s', async (_, hooks) => {
    expect(await observe(anOfficeWorld(0, hooks), TIMES)).toEqual([
      '12:29 4/4',
      '12:50 0/0',
      '13:54 0/0',
      '14:00 4/4',
      '14:10 4/4',
    ]);
  });

  it('keeps the nodes that it may have in its off hours', async () => {
    expect(await observe(anOfficeWorld(1, true), TIMES)).toEqual([
      '12:29 4/4',
      '12:50 1/1',
      '13:54 1/1',
      '14:00 4/4',
      '14:10 4/4',
    ]);
  });
});
