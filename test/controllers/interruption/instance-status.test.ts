import { describe, expect, it } from 'vitest';
import { instrumentPorts } from '../../../shared/controllers/metrics/instrument-ports.ts';
import { sweep } from '../../../shared/controllers/sweep.ts';
import type { Impairment, ImpairmentCause } from '../../../shared/model/nodes/interruption.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';
import { memoryTelemetry } from '../../support/memory-telemetry.ts';
import { addRunning, aFakeWorld, claimOf, providerIdOf } from '../support/fake-ports.ts';

const NAME = 'general-1';

/** A status check that has failed for `seconds`, or a scheduled event. */
const impaired = (cause: ImpairmentCause, seconds?: number): Impairment => ({
  providerId: providerIdOf(NAME),
  cause,
  ...(seconds !== undefined && { since: NOON - seconds * SECOND_MS }),
});

async function withNode(over: Parameters<typeof addRunning>[2] = {}) {
  const world = aFakeWorld();
  await addRunning(world, NAME, over);
  const telemetry = memoryTelemetry();
  const ports = instrumentPorts(world.ports, telemetry);
  /** Sets the impairments and runs a sweep. */
  const look = async (...impairments: readonly Impairment[]) => {
    world.impairments = impairments;
    await sweep(ports);
    world.now += MINUTE_MS;
    return claimOf(world, NAME);
  };
  const counted = (category: ImpairmentCause) =>
    telemetry.series.get(`karpenter_interruption_instance_status_unhealthy_total{category=${category}}`);
  return { world, telemetry, look, counted };
}

describe('an instance with a failing status check', () => {
  it.each(['system_status', 'instance_status'] as const)(
    'is removed without grace after two minutes: %s',
    async (cause) => {
      const { world, look, telemetry } = await withNode();

      const claim = await look(impaired(cause, 121));

      expect(claim).toMatchObject({
        deletingAt: NOON,
        removal: 'Interrupted',
        interruption: cause,
        drainDeadline: NOON,
      });
      expect(world.events).toEqual([{ kind: 'impaired', at: NOON, claim: NAME, cause }]);
      const labels = `{reason=${cause},nodepool=general,capacity_type=on-demand,consolidation_policy=,termination_mode=graceful}`;
      expect(telemetry.series.get(`karpenter_nodeclaims_disrupted_total${labels}`)).toBe(1);
    },
  );

  it.each([
    [60, undefined],
    [119, undefined],
    [120, NOON],
  ])('is kept or removed after %i s', async (seconds, deletingAt) => {
    const { look } = await withNode();

    expect((await look(impaired('system_status', seconds)))?.deletingAt).toBe(deletingAt);
  });

  it('is reported, counted and given its deadline once', async () => {
    const { world, look, counted } = await withNode();
    await look(impaired('system_status', 121));

    const claim = await look(impaired('system_status', 121));

    expect(claim?.drainDeadline).toBe(NOON);
    expect(world.events).toHaveLength(1);
    expect(counted('system_status')).toBe(1);
  });

  it('is counted again if it recovers and fails once more', async () => {
    const { look, counted } = await withNode();
    await look(impaired('system_status', 121));
    await look();
    expect(counted('system_status')).toBe(1);

    await look(impaired('system_status', 121));

    expect(counted('system_status')).toBe(2);
  });

  it('keeps an existing deadline', async () => {
    const drainDeadline = NOON + HOUR_MS;
    const { look } = await withNode({ deletingAt: NOON - MINUTE_MS, drainDeadline });

    expect((await look(impaired('instance_status', 121)))?.drainDeadline).toBe(drainDeadline);
  });

  it("does not wait for its pool's grace period", async () => {
    const { look } = await withNode({ terminationGracePeriodMs: HOUR_MS });

    expect((await look(impaired('instance_status', 121)))?.drainDeadline).toBe(NOON);
  });
});

describe('a scheduled event', () => {
  it('drains the node without a deadline', async () => {
    const { world, look, counted } = await withNode();

    const claim = await look(impaired('event_status'));

    expect(claim).toMatchObject({ deletingAt: NOON, interruption: 'event_status' });
    expect(claim?.drainDeadline).toBeUndefined();
    expect(world.events).toEqual([{ kind: 'impaired', at: NOON, claim: NAME, cause: 'event_status' }]);
    expect(counted('event_status')).toBe(1);
  });

  it('sets a deadline if a status check fails as well, now or later', async () => {
    const both = await withNode();
    const claim = await both.look(impaired('event_status'), impaired('system_status', 121));
    expect(claim).toMatchObject({ interruption: 'system_status', drainDeadline: NOON });

    const later = await withNode();
    await later.look(impaired('event_status'));
    const forced = await later.look(impaired('event_status'), impaired('system_status', 121));
    expect(forced).toMatchObject({
      deletingAt: NOON,
      interruption: 'event_status',
      drainDeadline: NOON + MINUTE_MS,
    });
  });
});

describe('a healthy instance', () => {
  it('stays, whatever fails on others', async () => {
    const { world, look } = await withNode();

    const claim = await look({
      providerId: 'aws:///us-east-1a/i-stranger',
      cause: 'system_status',
      since: 0,
    });

    expect(claim?.deletingAt).toBeUndefined();
    expect(claim?.impairments).toBeUndefined();
    expect(world.events).toEqual([]);
  });
});
