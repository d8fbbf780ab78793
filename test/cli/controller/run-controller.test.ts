import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHintQueue, sweepFirst } from '../../../cli/controller/hint-queue.ts';
import { createWatchSource } from '../../../cli/controller/hint-sources.ts';
import { memoryRecords } from '../../../cli/controller/memory-records.ts';
import { type RunningController, runController } from '../../../cli/controller/run-controller.ts';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import type { Hint } from '../../../shared/ports/work-queue.ts';
import { aLivePod, COLLECTIONS } from '../../kubernetes/support/live-objects.ts';
import { aControllerRuntimeDouble, aLog, type ControllerRuntimeDouble, clock } from './controller-runtime-double.ts';

interface Started {
  readonly running: RunningController;
  readonly worked: readonly Hint[];
  readonly lines: ReturnType<typeof aLog>['lines'];
}

async function start(
  cluster: ControllerRuntimeDouble,
  process: string,
  { takeOver = false, isEmpty = false } = {},
): Promise<Started> {
  const runtime = cluster.runtime(process, isEmpty ? memoryRecords() : undefined);
  const { log, lines } = aLog();
  const worked: Hint[] = [];
  const adopting = sweepFirst(async (hint) => {
    await dispatch(ports, hint);
    worked.push(hint);
  });
  const queue = createHintQueue({ clock, work: adopting.work });
  const ports: Ports = { ...runtime.ports, queue };
  const running = await runController({
    clock,
    log,
    queue,
    takeOver,
    renewEveryMs: 50,
    onOwner: adopting.forget,
    ownership: ports.ownership,
    sources: [createWatchSource(runtime, { clock, log })],
  });
  onTestFinished(() => running.stop(SECOND_MS));
  return { running, worked, lines };
}

const eventually = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 10_000, interval: 20 });

/** The tags of an instance. */
const FACTS = {
  instanceType: 'm7i.large',
  zone: 'us-east-1a',
  capacityType: 'on-demand',
  pool: 'general',
  nodeClass: 'default',
} as const;

const claimsIn = ({ double }: ControllerRuntimeDouble): readonly string[] =>
  double.table.list(COLLECTIONS.claims).map(({ metadata }) => metadata.name);

describe('the controller', () => {
  it('launches a node for a pending pod without any webhook', async () => {
    const cluster = await aControllerRuntimeDouble();
    const { running } = await start(cluster, 'a');
    expect(running.isOwner()).toBe(true);
    expect(running.readiness()).toBeUndefined();

    cluster.double.put(COLLECTIONS.pods, aLivePod());

    await eventually(() => expect(cluster.world.instances.size).toBe(1));
    await eventually(() => expect(claimsIn(cluster)).toHaveLength(1));
  });

  it.each(['is restarted', 'takes over'])(
    'launches no second node for a pod whose node starts, if it %s with empty records',
    async (how) => {
      const cluster = await aControllerRuntimeDouble();
      const first = await start(cluster, 'a', { isEmpty: true });
      const standby = how === 'takes over' ? await start(cluster, 'b', { isEmpty: true }) : undefined;
      cluster.double.put(COLLECTIONS.pods, aLivePod());
      await eventually(() => expect(claimsIn(cluster)).toHaveLength(1));
      await eventually(() => expect(cluster.world.instances.size).toBe(1));
      await first.running.stop(SECOND_MS);
      for (const [id, instance] of cluster.world.instances) {
        cluster.world.instances.set(id, { ...instance, facts: FACTS });
      }

      const { worked } = standby ?? (await start(cluster, 'b', { isEmpty: true }));

      await eventually(() => expect(worked.map(({ topic }) => topic)).toContain('plan'));
      expect(worked.slice(0, 2)).toEqual([{ topic: 'class' }, { topic: 'sweep' }]);
      expect(cluster.world.instances.size).toBe(1);
    },
  );

  it('stands by while another process owns the cluster and takes over when that process stops', async () => {
    const cluster = await aControllerRuntimeDouble();
    const first = await start(cluster, 'a');
    const second = await start(cluster, 'b');
    expect(second.running.isOwner()).toBe(false);
    expect(second.lines).toContainEqual({
      level: 'warn',
      message: 'stand-by',
      fields: { why: 'table/controller/a owns the cluster' },
    });
    expect(second.worked).toEqual([]);

    await first.running.stop(SECOND_MS);

    await eventually(() => expect(second.running.isOwner()).toBe(true));
    cluster.double.put(COLLECTIONS.pods, aLivePod());
    await eventually(() => expect(cluster.world.instances.size).toBe(1));
  });

  it('makes the other process stand by when it is started with take-over', async () => {
    const cluster = await aControllerRuntimeDouble();
    const first = await start(cluster, 'a');
    const second = await start(cluster, 'b', { takeOver: true });

    expect(second.running.isOwner()).toBe(true);
    await eventually(() => expect(first.running.isOwner()).toBe(false));
  });

  it('reports its ownership as unknown while the API server does not answer', async () => {
    const cluster = await aControllerRuntimeDouble();
    cluster.double.fail('/leases', 'cut', 10);
    const { running, worked } = await start(cluster, 'a');

    expect(running.isOwner()).toBe(false);
    expect(running.readiness()).toMatch(/does not answer/);
    expect(worked).toEqual([]);
  });

  it('releases the cluster when it stops', async () => {
    const cluster = await aControllerRuntimeDouble();
    const { running } = await start(cluster, 'a');
    await running.stop(SECOND_MS);

    expect(await cluster.runtime('b').ports.ownership.claim()).toMatchObject({ outcome: 'owner' });
  });
});
