import { describe, expect, it } from 'vitest';
import { findMoveBack } from '../../../shared/disruption/moves/launched-to-save.ts';
import { planDisruption } from '../../../shared/disruption/plan-disruption.ts';
import { formatInstant, HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import { applyCommands } from '../../support/apply-command.ts';
import { NOON, resources } from '../../support/builders.ts';
import { aFleet, decide, type FleetNode, findStayReason, web, webs } from '../fleet.ts';

/** It may take pods, and stays itself. */
const target: FleetNode = {
  name: 'target',
  type: 'large',
  pods: [web('big', 3)],
  node: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
};

const paying = (cpus: number, annotations: Record<string, string>): FleetNode => ({
  name: 'saver',
  pods: [web('p', cpus)],
  claim: { annotations, requests: resources(1, 1, { pods: 1 }) },
});

describe('a node that was launched to save money', () => {
  it('remembers what it replaced, and until when it pays back', () => {
    const dear = { name: 'dear', type: 'large', pods: webs(2, 'p', 0.75) };
    const { command } = planDisruption(aFleet([dear]), [], 'decision-1');
    const [replacement] = command?.replacements ?? [];

    expect(replacement?.claim.annotations).toMatchObject({
      'mortise.sh/pays-back-at': new Date(NOON + (command?.price?.paybackMs ?? 0)).toISOString().replace(/\.\d+Z/, 'Z'),
      'mortise.sh/replaced-instance-types': 'large',
    });
  });

  it('is not moved before it has paid back', () => {
    const until = (time: number) => ({ 'mortise.sh/pays-back-at': new Date(time).toISOString() });
    const early = decide(aFleet([paying(1, until(NOON + MINUTE_MS)), target]));

    expect(findStayReason(early, 'saver')).toBe('still-paying-back');
    expect(decide(aFleet([paying(1, until(NOON)), target])).gone).toEqual(['saver']);
  });

  it('may be moved earlier if its pods have gone', () => {
    const annotations = { 'mortise.sh/pays-back-at': new Date(NOON + MINUTE_MS).toISOString() };

    expect(decide(aFleet([paying(0.5, annotations), target])).gone).toEqual(['saver']);
  });

  it('is never replaced by what it or a predecessor replaced', () => {
    const back = (cpus: number, replaced: string): FleetNode => ({
      name: 'saver',
      type: 'large',
      pods: [web('p', cpus)],
      claim: {
        annotations: { 'mortise.sh/replaced-instance-types': replaced },
        requests: resources(1, 1, { pods: 1 }),
      },
    });

    expect(decide(aFleet([back(1, '')])).replacedBy).toEqual(['small', 'medium']);
    expect(decide(aFleet([back(1, 'medium')])).replacedBy).toEqual(['small']);
    expect(findStayReason(decide(aFleet([back(1, 'medium,small')])), 'saver')).toBe('would-return');
    expect(decide(aFleet([back(0.5, 'medium,small')])).replacedBy).toEqual(['small', 'medium']);
  });

  it('hands the memory on to its own replacement', () => {
    const node: FleetNode = {
      name: 'saver',
      type: 'large',
      pods: [web('p', 1)],
      claim: { annotations: { 'mortise.sh/replaced-instance-types': 'other' } },
    };
    const snapshot = aFleet([node]);
    const { command } = planDisruption(snapshot, [], 'decision-1');
    const after = applyCommands(snapshot, command ? [command] : []);

    expect(after.claims[0]?.annotations['mortise.sh/replaced-instance-types']).toBe('large,other');
  });
});

describe('a move back', () => {
  /** A replacement of `saver` by a small or medium node, and what `saver` once replaced. */
  function decideOnSaver(replaced: string, cpus = 1) {
    const saver: FleetNode = { name: 'saver', type: 'large', pods: [web('p', cpus)] };
    const snapshot = aFleet([saver]);
    const { command } = planDisruption(snapshot, [], 'decision-1');
    const claims = snapshot.claims.map((claim) => ({
      ...claim,
      annotations: { 'mortise.sh/replaced-instance-types': replaced },
      requests: resources(1, 1, { pods: 1 }),
    }));
    return command && findMoveBack(command, { ...snapshot, claims });
  }

  it('is found in a command that may launch what its node replaced', () => {
    expect(decideOnSaver('medium,other')).toEqual({ claim: 'saver', types: ['medium'] });
  });

  it('is not found in a command that launches other types', () => {
    expect(decideOnSaver('other')).toBeUndefined();
  });

  it('is not found once demand has changed', () => {
    expect(decideOnSaver('medium', 0.5)).toBeUndefined();
  });
});

describe('the replacement of a drifted node', () => {
  const replaceDrifted = (annotations: Readonly<Record<string, string>>) => {
    const node: FleetNode = {
      ...paying(1, annotations),
      claim: { annotations, drift: { reason: 'NodePoolDrifted', since: NOON, text: 'changed' } },
    };
    const { command } = planDisruption(aFleet([node]), [], 'decision-1');
    expect(command?.reason).toBe('Drifted');
    return command?.replacements[0]?.claim.annotations;
  };

  it('inherits the memory of a node that was launched to save money', () => {
    const annotations = {
      'mortise.sh/pays-back-at': formatInstant(NOON + HOUR_MS),
      'mortise.sh/replaced-instance-types': 'large',
    };

    expect(replaceDrifted(annotations)).toMatchObject(annotations);
  });

  it('keeps its pods for ten minutes, because they have just moved', () => {
    expect(replaceDrifted({})).toMatchObject({ 'mortise.sh/pays-back-at': formatInstant(NOON + 10 * MINUTE_MS) });
  });

  it('is not moved in this time even if other pods run on it than planned', () => {
    const saver = paying(0.5, { 'mortise.sh/pays-back-at': formatInstant(NOON + 9 * MINUTE_MS) });
    const reasonAt = (createdAt: number) =>
      findStayReason(decide(aFleet([{ ...saver, claim: { ...saver.claim, createdAt } }, target])), 'saver');

    expect(reasonAt(NOON - MINUTE_MS)).toBe('still-paying-back');
    expect(reasonAt(NOON - 10 * MINUTE_MS)).toBeUndefined();
  });
});
