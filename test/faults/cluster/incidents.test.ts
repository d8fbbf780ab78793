import { expect, it } from 'vitest';
import type { OwnershipLeases } from '../../../shared/memory/ownership.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { createFaultPlan } from '../runtime/fault-plan.ts';
import { createCluster } from './create-cluster.ts';
import { happen } from './incidents.ts';
import { createSurroundings } from './surroundings.ts';

it('another stack keeps the cluster until the last of its incidents ends', async () => {
  const history = { seed: 1, activeMs: 0, parts: [], incidents: [], faults: [] };
  const open = createCluster(history);
  const { clock } = open.world;
  const startAt = clock.now();
  const faults = createFaultPlan(history, startAt, clock.now);
  const surroundings = createSurroundings(open, faults, true);
  const leases: OwnershipLeases = {};
  const unused = { rows: open.world.ports, hint: () => {}, setTableBack: () => {} };
  const parts = { open, surroundings, leases, foreignNodes: new Set<string>(), ...unused };
  const own = (atMs: number, forMs: number) =>
    clock.schedule(startAt + atMs, () => happen(parts, { kind: 'owner', owner: 'another-stack', atMs, forMs }));

  own(0, 2 * MINUTE_MS);
  // Renewed at other seconds than the first.
  own(MINUTE_MS + 5_000, 3 * MINUTE_MS);
  await clock.runUntil(startAt + 2 * MINUTE_MS + 12_000);
  expect(leases.own?.holder).toBe('other/controller');
  await clock.runUntil(startAt + 5 * MINUTE_MS);
  expect(leases.own?.holder).toBe('');
});
