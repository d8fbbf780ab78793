import { describe, expect, it } from 'vitest';
import { SILENT } from '../../../cli/terminal/progress.ts';
import { awaitRecords, drainAll } from '../../../cli/uninstall/drain-all.ts';
import { INITIALIZED_LABEL, REGISTERED_LABEL } from '../../../shared/model/labels.ts';
import type { InstanceFacts } from '../../../shared/ports/cloud.ts';
import { aFakeWorld, type FakeWorld } from '../../controllers/support/fake-ports.ts';
import { aLaunch, aNode, anInitializedClaim, aPod } from '../../support/builders.ts';
import { clock } from '../controller/controller-runtime-double.ts';

const FACTS: InstanceFacts = {
  instanceType: 'm7i.large',
  zone: 'us-east-1a',
  capacityType: 'on-demand',
  pool: 'general',
  nodeClass: 'default',
};

/** Two running nodes of ours, one of them with a pod. */
async function aFleet(): Promise<FakeWorld> {
  const names = ['node-1', 'node-2'];
  const idOf = (name: string): string => `aws:///us-east-1a/i-${name}`;
  const nodes = names.map((name) => aNode({ name, providerId: idOf(name) }));
  const pod = aPod({ nodeName: 'node-1', phase: 'Running', ready: true });
  const world = aFakeWorld({ nodes, pods: [pod] });
  for (const name of names) {
    const claim = anInitializedClaim(name, { name: `claim-of-${name}` });
    await world.ports.nodeClaims.save(claim, 0);
    const providerId = idOf(name);
    world.instances.set(providerId, { providerId, claim: claim.name, state: 'running' });
  }
  return world;
}

const drain = async (world: FakeWorld, { timeoutMs = 30_000 } = {}) => {
  const troubles: string[] = [];
  const remainingClaims = await drainAll(
    { ...world.ports, clock },
    {
      progress: SILENT,
      stop: new AbortController().signal,
      timeoutMs,
      trouble: (claim, error) => troubles.push(`${claim}: ${String(error)}`),
    },
  );
  return { left: remainingClaims.map(({ name }) => name), troubles };
};

describe('draining a cluster', { timeout: 40_000 }, () => {
  it('terminates every node and plans no others', async () => {
    const world = await aFleet();

    expect(await drain(world)).toEqual({ left: [], troubles: [] });
    expect(world.podCalls).toEqual(['evict default/web-1']);
    expect([...world.instances]).toEqual([]);
    expect(world.decisions).toEqual([]);
  });

  it('keeps nodes that a budget protects, and reports them when its time is over', async () => {
    const world = await aFleet();
    world.refusingBudgets.set('web-1', 'web');

    expect((await drain(world, { timeoutMs: 5_000 })).left).toEqual(['claim-of-node-1']);
  });

  it('drains nodes of ours that have no record', async () => {
    const providerId = 'aws:///us-east-1a/i-lost';
    const labels = { [REGISTERED_LABEL]: 'true', [INITIALIZED_LABEL]: 'true' };
    const pod = aPod({ nodeName: 'lost', phase: 'Running', ready: true });
    const world = aFakeWorld({ nodes: [aNode({ name: 'lost', providerId, labels })], pods: [pod] });
    world.instances.set(providerId, { providerId, claim: 'lost', state: 'running', facts: FACTS });

    expect(await drain(world)).toEqual({ left: [], troubles: [] });
    expect(world.podCalls).toEqual(['evict default/web-1']);
    expect([...world.instances]).toEqual([]);
  });

  it('waits until the stack has records of nodes of ours', async () => {
    const world = await aFleet();
    const providerId = 'aws:///us-east-1a/i-lost';
    world.instances.set(providerId, { providerId, claim: 'lost', state: 'running', facts: FACTS });
    const reports: string[] = [];
    const claim = anInitializedClaim('node-3', { name: 'lost', launch: aLaunch({ providerId }) });
    const progress = {
      ...SILENT,
      report(text: string) {
        if (reports.length === 0) void world.ports.nodeClaims.save(claim, 0);
        reports.push(text);
      },
    };
    const stop = new AbortController().signal;
    await awaitRecords({ ...world.ports, clock }, { progress, stop, timeoutMs: 30_000 });

    expect(reports).toEqual(['waiting until the stack has records of all nodes (1 missing)']);
  });

  it('continues an earlier run that was stopped', async () => {
    const world = await aFleet();
    world.refusingBudgets.set('web-1', 'web');
    await drain(world, { timeoutMs: 3_000 });
    world.refusingBudgets.clear();

    expect((await drain(world)).left).toEqual([]);
  });
});
