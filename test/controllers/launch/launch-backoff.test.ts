import { describe, expect, it } from 'vitest';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { reportPoolStatus } from '../../../shared/controllers/node-pool/status.ts';
import { LaunchFailedError } from '../../../shared/model/errors.ts';
import { NODEPOOL_LABEL } from '../../../shared/model/labels.ts';
import type { Deployment } from '../../../shared/model/pods/workload.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import type { SimWorld } from '../../../shared/simulation/world.ts';
import { aWorld, podsIn, runFor } from '../../simulation/support.ts';
import { aDeployment, aNodePool, aPodSpec, aPodTemplate, aSnapshot } from '../../support/builders.ts';
import { aFakeWorld } from '../support/fake-ports.ts';

interface RefusingWorld {
  readonly world: SimWorld;
  /** The number of requests for the pool. */
  calls: number;
  isRefused: boolean;
}

/** A cluster whose EC2 refuses the launches of the NodePool `broken`. */
function aRefusingWorld(pools: readonly string[], replicas: number, others: readonly Deployment[] = []): RefusingWorld {
  const world = aWorld({
    pools: pools.map((name) => aNodePool({ name, uid: `uid-${name}` })),
    workloads: [aDeployment({ replicas }), ...others],
  });
  const state: RefusingWorld = { world, calls: 0, isRefused: true };
  const { cloud } = world.ports;
  const ports: Ports = {
    ...world.ports,
    cloud: {
      ...cloud,
      async launch(request) {
        const [first] = request.claims;
        if (first?.pool !== 'broken') return cloud.launch(request);
        state.calls += 1;
        if (!state.isRefused) return cloud.launch(request);
        const refusal = new LaunchFailedError(first.name, 'Unauthorized', 'no ec2:CreateFleet');
        return { launches: [], unavailable: [], refusal };
      },
    },
  };
  world.consume((hint) => dispatch(ports, hint));
  return state;
}

const countRunning = async ({ world }: RefusingWorld): Promise<number> =>
  (await podsIn(world)).filter(({ nodeName }) => nodeName !== undefined).length;

describe('a NodePool whose launches EC2 refuses', () => {
  it('leaves its pods to a NodePool of equal weight', async () => {
    const state = aRefusingWorld(['broken', 'able'], 10);
    await runFor(state.world, 3 * MINUTE_MS);

    expect(state.calls).toBeGreaterThan(0);
    expect(await countRunning(state)).toBe(10);
  });

  it('backs off from a minute to an hour', async () => {
    const state = aRefusingWorld(['broken'], 10);
    await runFor(state.world, 4 * HOUR_MS);

    const [backoff] = await state.world.ports.poolBackoffs.list('launch');
    expect(backoff).toMatchObject({
      pool: 'broken',
      message: 'Unauthorized: no ec2:CreateFleet',
    });
    expect((backoff?.until ?? 0) - (backoff?.failedAt ?? 0)).toBe(HOUR_MS);
    expect(state.calls).toBeLessThan(80);
  });

  it('launches again when EC2 accepts a launch, and ends the back-off', async () => {
    const state = aRefusingWorld(['broken'], 10);
    await runFor(state.world, 30_000);
    state.isRefused = false;
    await runFor(state.world, 4 * MINUTE_MS);

    expect(await countRunning(state)).toBe(10);
    expect(await state.world.ports.poolBackoffs.list('launch')).toEqual([]);
  });

  it('does not stop the disruption of other nodes', async () => {
    const nodeSelector = { [NODEPOOL_LABEL]: 'broken' };
    const labels = { app: 'waiting' };
    const template = aPodTemplate({ labels, spec: aPodSpec({ nodeSelector }) });
    const waiting = aDeployment({ name: 'waiting', replicas: 3, template });
    const state = aRefusingWorld(['working', 'broken'], 10, [waiting]);
    await runFor(state.world, 5 * MINUTE_MS);
    expect(await countRunning(state)).toBe(10);

    state.world.userActions.scale({ kind: 'Deployment', namespace: 'default', name: 'web' }, 0);
    await runFor(state.world, 4 * MINUTE_MS);

    expect(state.calls).toBeGreaterThan(0);
    expect(await state.world.ports.cloud.instances()).toEqual([]);
  });

  it('shows the reason in a condition that goes away with the first launch', async () => {
    const world = aFakeWorld();
    const refusal = {
      pool: 'general',
      failures: 1,
      failedAt: world.now,
      until: world.now + MINUTE_MS,
    };
    await world.ports.poolBackoffs.save('launch', { ...refusal, message: 'Unauthorized: no right' });
    const snapshot = aSnapshot({ pools: world.objects.pools });
    const conditionOf = () =>
      world.poolStatuses.get('general')?.conditions.find(({ type }) => type === 'LaunchesAccepted');

    await reportPoolStatus(world.ports, snapshot);
    expect(conditionOf()).toEqual({
      type: 'LaunchesAccepted',
      status: 'False',
      reason: 'LaunchesRefused',
      message: 'EC2 refused its launches (Unauthorized: no right), the next is tried after 2026-01-01T12:01:00Z',
    });

    await world.ports.poolBackoffs.remove('launch', 'general');
    await reportPoolStatus(world.ports, snapshot);
    expect(conditionOf()).toBeUndefined();
  });
});
