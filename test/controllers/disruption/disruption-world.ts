import type { DecideDisruption } from '../../../shared/controllers/disruption/decide-disruption.ts';
import { reconcileDisruption } from '../../../shared/controllers/disruption/reconcile.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import type { DisruptionCommand } from '../../../shared/model/plans.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { DISRUPTED_TAINT } from '../../../shared/model/requirements/taints.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { aNodeClaim, aNodePool, anOffering, aPodSpec, aRunningPod, NOON, resources } from '../../support/builders.ts';
import { hasPlanned } from '../../support/planner-end.ts';
import { addRunning, aFakeWorld, type FakeWorld } from '../support/fake-ports.ts';

export const reconcile = (world: FakeWorld) => reconcileDisruption(world.ports);

/** Runs disruption every 15 s. @returns the number of runs that ended the planner */
export async function disruptRepeatedly(world: FakeWorld, decide: DecideDisruption, runs = 40): Promise<number> {
  let unfinished = 0;
  for (let count = 0; count < runs; count += 1) {
    world.now += 15 * SECOND_MS;
    if (!(await hasPlanned(reconcileDisruption(world.ports, decide)))) unfinished += 1;
  }
  return unfinished;
}

export const allGoes = aNodePool({
  disruption: {
    consolidateAfterMs: 0,
    policy: 'WhenEmptyOrUnderutilized',
    budgets: [{ nodes: '100%' }],
  },
});
export const aSmallPod = (node: string, over: Partial<Pod> = {}): Pod =>
  aRunningPod(node, {
    name: `on-${node}`,
    owner: { kind: 'ReplicaSet', name: 'web', uid: 'rs-web' },
    spec: aPodSpec({ requests: resources(0.5, 1, { pods: 1 }) }),
    ...over,
  });

/** Claims `a`, `b`, … ten minutes old, with a small pod on each. */
export async function withNodes(names: string, pods: readonly Pod[] = []): Promise<FakeWorld> {
  const world = aFakeWorld({ pools: [allGoes], pods });
  for (const name of names) await addRunning(world, name);
  world.now = NOON + 10 * MINUTE_MS;
  return world;
}

const isTainted = ({ taints }: Node): boolean => taints.includes(DISRUPTED_TAINT);
export const tainted = (world: FakeWorld) => world.objects.nodes.filter(isTainted).map(({ name }) => name);
export const deletedClaims = async ({ ports }: FakeWorld) =>
  (await ports.nodeClaims.list()).records
    .filter(({ claim }) => claim.deletingAt !== undefined)
    .map(({ claim }) => claim.name);

export const command = (over: Partial<DisruptionCommand> = {}): DisruptionCommand => ({
  id: 'd-1',
  reason: 'Underutilized',
  decidedAt: NOON,
  validatedAt: NOON,
  candidates: ['a'],
  replacements: [],
  placements: [],
  savingHourlyUsd: 0.1,
  ...over,
});
export const replacedBy = (...names: readonly string[]): DisruptionCommand =>
  command({
    replacements: names.map((name) => ({
      claim: aNodeClaim({ name, decision: 'd-1' }),
      pods: ['default/on-a'],
      cheapest: anOffering(),
    })),
  });

/**
 * A running command over claims `a` and `b`; each has a pod that is too large for the other node.
 */
export async function withCommand(running: DisruptionCommand): Promise<FakeWorld> {
  const large = (node: string) => aSmallPod(node, { spec: aPodSpec({ requests: resources(1.5, 1) }) });
  const world = await withNodes('ab', [large('a'), large('b')]);
  world.now = NOON + MINUTE_MS;
  await world.ports.commands.add(running);
  return world;
}

export async function initialize(world: FakeWorld, name: string): Promise<void> {
  const stored = await world.ports.nodeClaims.find(name);
  if (!stored) throw new Error(`no claim ${name}`);
  const { claim, version } = stored;
  await world.ports.nodeClaims.save({ ...claim, initializedAt: world.now }, version);
}
