import { describe, expect, it } from 'vitest';
import { type DecideDisruption, decideDisruption } from '../../../shared/controllers/disruption/decide-disruption.ts';
import { reconcileDisruption } from '../../../shared/controllers/disruption/reconcile.ts';
import { NO_SUSPECTS } from '../../../shared/controllers/planning-attempts/bisect.ts';
import { reconcileProvisioning } from '../../../shared/controllers/provisioning/reconcile.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { DisruptionInput } from '../../../shared/ports/decision-log.ts';
import { aPod, NOON } from '../../support/builders.ts';
import { aFatalPod, aPodFatalToMove } from '../../support/fatal-pod.ts';
import { ends, PlannerEnded } from '../../support/planner-end.ts';
import { aFakeWorld, type FakeWorld, takeHints } from '../support/fake-ports.ts';
import { aSmallPod, deletedClaims, disruptRepeatedly, withNodes } from './disruption-world.ts';

/** Decides, unless the removal of one of the claims is planned: that ends the planner. */
const endedBy =
  (...fatal: readonly string[]): DecideDisruption =>
  (input, id) => {
    const { snapshot, proposal, heldBack } = input;
    const isCandidate = (claim: string): boolean =>
      snapshot.claims.some(({ name, deletingAt }) => name === claim && deletingAt === undefined) &&
      !heldBack?.deferred.includes(claim) &&
      !heldBack?.setAside.some((node) => node.claim === claim);
    return !proposal && fatal.some(isCandidate) ? ends() : decideDisruption(input, id);
  };

/** Runs disruption once. @returns the input of its decision */
async function decide(world: FakeWorld): Promise<DisruptionInput> {
  const inputs: DisruptionInput[] = [];
  await reconcileDisruption(world.ports, (input, id) => {
    inputs.push(input);
    return decideDisruption(input, id);
  });
  const [input] = inputs;
  if (!input) throw new Error('nothing was decided');
  return input;
}

const findState = async ({ ports }: FakeWorld) => (await ports.planningState.find('disruption'))?.state;

describe('a plan of removals that ends its process', () => {
  it('is recorded before it is made, and no longer once it exists', async () => {
    const fatal = await withNodes('abc');
    await expect(reconcileDisruption(fatal.ports, endedBy('b'))).rejects.toThrow(PlannerEnded);
    const ordinary = await withNodes('abc');
    await reconcileDisruption(ordinary.ports);

    expect((await findState(fatal))?.attempt).toEqual({
      startedAt: NOON + 10 * MINUTE_MS,
      hasFailed: true,
    });
    expect(await findState(ordinary)).toEqual(NO_SUSPECTS);
  });

  it('is made for parts of the nodes, until all but the one that ends the planner are removed', async () => {
    const world = await withNodes('abcdefghi');
    const unfinished = await disruptRepeatedly(world, endedBy('g'));

    expect(unfinished).toBeLessThanOrEqual(6);
    expect((await deletedClaims(world)).toSorted()).toEqual([...'abcdefhi']);
  });

  it('is made without the node whose pod ends it, to which other pods may move', async () => {
    const fatal = aPodFatalToMove(aSmallPod('b'), ends);
    const world = await withNodes('abc', [aSmallPod('a'), fatal, aSmallPod('c')]);
    const unfinished = await disruptRepeatedly(world, decideDisruption);

    expect(unfinished).toBeLessThanOrEqual(6);
    expect((await deletedClaims(world)).toSorted()).toEqual(['a', 'c']);
  });

  it('keeps its culprit with the reason, an event that names it, and the time of the next look', async () => {
    const world = await withNodes('abc');
    await disruptRepeatedly(world, endedBy('b'), 20);

    const event = world.events.find(({ kind }) => kind === 'node-set-aside');
    expect(event).toMatchObject({ claim: 'b', failures: 1 });
    expect(world.events).toContainEqual(expect.objectContaining({ kind: 'plan-unfinished', planner: 'disruption' }));
    const decision = world.decisions.findLast(({ kind }) => kind === 'disruption');
    expect(decision?.plan).toMatchObject({
      verdicts: [
        {
          ...{ claim: 'b', outcome: 'stays', reason: { code: 'removal-planning-failed' } },
          lookAgainAt: event && 'until' in event ? event.until : NOON,
        },
      ],
    });
  });

  it('plans the removal of its culprit again after ten minutes', async () => {
    const world = await withNodes('abc');
    await disruptRepeatedly(world, endedBy('b'), 20);
    const before = await deletedClaims(world);
    await disruptRepeatedly(world, decideDisruption, 45);

    expect(before.toSorted()).toEqual(['a', 'c']);
    expect(await deletedClaims(world)).toContain('b');
    expect(await findState(world)).toEqual(NO_SUSPECTS);
  });

  it('asks for the next look at the nodes that are left to it', async () => {
    const world = await withNodes('abcd');
    await world.ports.nominations.nominate([...'abcd'], world.now + 60 * MINUTE_MS);
    await disruptRepeatedly(world, ends, 1);
    takeHints(world);
    const input = await decide(world);

    expect(input.heldBack).toMatchObject({ deferred: [expect.any(String), expect.any(String)] });
    expect(takeHints(world)).toEqual([{ hint: { topic: 'disrupt' }, at: world.now + 5 * SECOND_MS }]);
  });

  it('marks no nodes as surplus while many of them are left to the next one', async () => {
    const input = await decide(await withNodes('abcd'));
    const { snapshot } = input;
    const settings = { ...DEFAULT_SETTINGS, surplusNodes: 'Taint' } as const;
    const whole: DisruptionInput = { ...input, snapshot: { ...snapshot, settings } };
    const part = { ...whole, heldBack: { deferred: ['a', 'b'], setAside: [] } };

    expect(decideDisruption(whole, 'd-1')).toHaveProperty('surplus');
    expect(decideDisruption(part, 'd-1')).not.toHaveProperty('surplus');
  });

  it('writes nothing if there is no node to remove', async () => {
    const world = aFakeWorld({ pods: [] });
    await reconcileDisruption(world.ports);

    expect(await findState(world)).toBeUndefined();
  });
});

describe('a waiting pod that ends the planner', () => {
  it('ends no plan of removals once provisioning suspects it', async () => {
    const fatal = aFatalPod(aPod({ name: 'fatal' }), ends);
    const world = await withNodes('ab', [fatal, aSmallPod('a'), aSmallPod('b')]);
    await expect(reconcileDisruption(world.ports)).rejects.toThrow(PlannerEnded);
    await expect(reconcileProvisioning(world.ports)).rejects.toThrow(PlannerEnded);
    world.now += SECOND_MS;
    await reconcileProvisioning(world.ports).catch(() => {});
    const unfinished = await disruptRepeatedly(world, decideDisruption);

    expect(unfinished).toBe(0);
    expect(world.events).toContainEqual(expect.objectContaining({ kind: 'remove' }));
  });
});
