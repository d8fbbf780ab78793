import { describe, expect, it } from 'vitest';
import { type DecideDisruption, decideDisruption } from '../../../shared/controllers/disruption/decide-disruption.ts';
import { reconcileDisruption } from '../../../shared/controllers/disruption/reconcile.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';
import { aFatalPod, aPodFatalToMove } from '../../support/fatal-pod.ts';
import { ends } from '../../support/planner-end.ts';
import { addRunning, type FakeWorld, takeHints } from '../support/fake-ports.ts';
import { allGoes, aSmallPod, deletedClaims, disruptRepeatedly, withNodes } from './disruption-world.ts';

const NAMES = 'abcdefghijklmnop';

/** Plans what `change` makes of the snapshot, so that the defect is met by the planner alone. */
const decideWith =
  (change: (snapshot: ClusterSnapshot) => ClusterSnapshot): DecideDisruption =>
  (input, id) =>
    decideDisruption({ ...input, snapshot: change(input.snapshot) }, id);

/** A property of the NodePool that is read once a node may go ends the planner. */
const withFatalReplacements = (snapshot: ClusterSnapshot): ClusterSnapshot => ({
  ...snapshot,
  pools: snapshot.pools.map((pool) => Object.defineProperty({ ...pool }, 'disruption', { get: ends })),
});

const withFatalPool = (snapshot: ClusterSnapshot): ClusterSnapshot => ({
  ...snapshot,
  pools: snapshot.pools.map((pool) => Object.defineProperty({ ...pool }, 'requirements', { get: ends })),
});

const BATCH = { ...allGoes, name: 'batch', uid: 'batch' };

/** The nodes `a` to `p` of the NodePool `general`, and `q` to `t` of `batch`. */
async function withTwoPools(): Promise<FakeWorld> {
  const world = await withNodes(NAMES);
  world.objects = { ...world.objects, pools: [allGoes, BATCH] };
  for (const name of 'qrst') await addRunning(world, name, { pool: 'batch' });
  world.now = NOON + 10 * MINUTE_MS;
  return world;
}

/** A field of the NodePool `batch` ends the planner. */
const withFatalField =
  (field: keyof NodePool) =>
  (snapshot: ClusterSnapshot): ClusterSnapshot => ({
    ...snapshot,
    pools: snapshot.pools.map((pool) =>
      pool.name === 'batch' ? Object.defineProperty({ ...pool }, field, { get: ends }) : pool,
    ),
  });

interface Runs {
  /** Runs that did not end, until the planner paused if it did. */
  readonly unfinished: number;
  readonly removed: readonly string[];
  readonly kinds: ReadonlySet<string>;
}

/** Runs disruption every 15 s for nine minutes, less than the first pause. */
async function disrupt(world: FakeWorld, decide: DecideDisruption): Promise<Runs> {
  const unfinished = await disruptRepeatedly(world, decide, 36);
  const removed = (await deletedClaims(world)).toSorted();
  return { unfinished, removed, kinds: new Set(world.events.map(({ kind }) => kind)) };
}

const listReasons = ({ decisions }: FakeWorld) => {
  const decision = decisions.findLast(({ kind }) => kind === 'disruption');
  return decision?.kind === 'disruption' ? new Set(decision.plan.verdicts.map(({ reason }) => reason.code)) : new Set();
};

describe('plans of removals', () => {
  it('remove every empty node if nothing ends the planner', async () => {
    const world = await withNodes(NAMES);
    const { unfinished, removed, kinds } = await disrupt(world, decideDisruption);

    expect(unfinished).toBe(0);
    expect(removed).toEqual([...NAMES]);
    expect(kinds).not.toContain('plan-unfinished');
  });

  it('remove every node but the one whose pod ends the planner when it moves', async () => {
    const world = await withNodes(NAMES, [aPodFatalToMove(aSmallPod('g'), ends)]);
    const { unfinished, removed, kinds } = await disrupt(world, decideDisruption);

    expect(unfinished).toBeLessThanOrEqual(7);
    expect(removed).toEqual([...NAMES.replace('g', '')]);
    expect(kinds).toContain('node-set-aside');
    expect(kinds).not.toContain('planning-paused');
  });

  it('pause after four that did not end because of a property of the NodePool', async () => {
    const world = await withNodes(NAMES);
    const { unfinished, removed, kinds } = await disrupt(world, decideWith(withFatalPool));

    expect(unfinished).toBe(4);
    expect(removed).toEqual([]);
    expect(kinds).not.toContain('node-set-aside');
    expect(world.events).toContainEqual(
      expect.objectContaining({
        ...{ kind: 'planning-paused', planner: 'disruption', pools: ['general'], failures: 1 },
      }),
    );
    expect(listReasons(world)).toEqual(new Set(['removals-paused']));
  });

  it('pause after four that did not end because of a pod that does not move', async () => {
    const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
    const world = await withNodes(NAMES, [aFatalPod(aSmallPod('g', { annotations }), ends)]);
    const { unfinished, removed, kinds } = await disrupt(world, decideDisruption);

    expect(unfinished).toBe(4);
    expect(removed).toEqual([]);
    expect(kinds).toContain('planning-paused');
    expect(kinds).not.toContain('node-set-aside');
  });

  it('pause after six that did not end because the NodePool ends the plan of any removal', async () => {
    const world = await withNodes(NAMES);
    const { unfinished, removed, kinds } = await disrupt(world, decideWith(withFatalReplacements));

    expect(unfinished).toBe(6);
    expect(removed).toEqual([]);
    expect(kinds).toContain('planning-paused');
    expect(kinds).not.toContain('node-set-aside');
  });

  it('remove every node after the pause once the defect is gone', async () => {
    const world = await withNodes(NAMES);
    await disrupt(world, decideWith(withFatalPool));
    world.now += 10 * MINUTE_MS;
    const { unfinished, removed } = await disrupt(world, decideDisruption);

    expect(unfinished).toBe(0);
    expect(removed).toEqual([...NAMES]);
    const state = (await world.ports.planningState.find('disruption'))?.state;
    expect(state).toEqual({ suspects: [], areOthersPlanned: false, setAside: [] });
  });

  it('write nothing and plan nothing during a pause, and are requested again at its end', async () => {
    const world = await withNodes(NAMES);
    await disrupt(world, decideWith(withFatalPool));
    const before = await world.ports.planningState.find('disruption');
    world.now += SECOND_MS;
    takeHints(world);
    await reconcileDisruption(world.ports, decideWith(withFatalPool));

    expect(await world.ports.planningState.find('disruption')).toEqual(before);
    const until = before?.state.pause?.until ?? 0;
    // Hints are sent on full ten seconds.
    const at = Math.ceil(until / (10 * SECOND_MS)) * 10 * SECOND_MS;
    expect(takeHints(world)).toEqual([{ hint: { topic: 'disrupt' }, at }]);
  });
});

describe('plans of removals that one of several NodePools ends', () => {
  it('go on in the others, if it ends every plan', async () => {
    const world = await withTwoPools();
    const { unfinished, removed } = await disrupt(world, decideWith(withFatalField('requirements')));

    expect(removed).toEqual([...NAMES]);
    expect(unfinished).toBeLessThanOrEqual(10);
    expect(world.events).toContainEqual(
      expect.objectContaining({ kind: 'planning-paused', pools: ['batch'], isPartial: true }),
    );
    expect(listReasons(world)).toEqual(new Set(['removal-planning-failed']));
  });

  it('go on in the others, if it ends the plan of any removal of its nodes', async () => {
    const world = await withTwoPools();
    const { unfinished, removed } = await disrupt(world, decideWith(withFatalField('disruption')));

    expect(removed).toEqual([...NAMES]);
    expect(unfinished).toBeLessThanOrEqual(20);
  });

  it('remove its nodes as well once it is fixed', async () => {
    const world = await withTwoPools();
    await disrupt(world, decideWith(withFatalField('requirements')));
    world.now += 10 * MINUTE_MS;
    const { unfinished, removed } = await disrupt(world, decideDisruption);

    expect(unfinished).toBe(0);
    expect(removed).toEqual([...NAMES, ...'qrst']);
    const state = (await world.ports.planningState.find('disruption'))?.state;
    expect(state).toEqual({ suspects: [], areOthersPlanned: false, setAside: [] });
  });

  it('pause if every NodePool ends them', async () => {
    const world = await withTwoPools();
    const { removed, kinds } = await disrupt(world, decideWith(withFatalPool));

    expect(removed).toEqual([]);
    expect(kinds).toContain('planning-paused');
    expect(listReasons(world)).toContain('removals-paused');
  });
});
