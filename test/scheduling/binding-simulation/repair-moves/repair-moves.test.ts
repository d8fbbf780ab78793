import { describe, expect, it } from 'vitest';
import {
  withMerged,
  withoutNodes,
} from '../../../../shared/scheduling/binding-simulation/repair-moves/remove-nodes.ts';
import { otherSizes } from '../../../../shared/scheduling/binding-simulation/repair-moves/resize-nodes.ts';
import {
  withNodesFor,
  withSmallNodesFor,
} from '../../../../shared/scheduling/binding-simulation/repair-moves/separate-nodes.ts';
import { openWith } from '../../../../shared/scheduling/packing/constructions/first-fit.ts';
import { cheapestType } from '../../../../shared/scheduling/packing/new-nodes/packing-state.ts';
import type { PodClass } from '../../../../shared/scheduling/pods/pod-classes.ts';
import { aCluster, asking, HOSTNAME, several, stepTypes, to } from '../../fixture.ts';
import { rehearsed } from '../evaluated-packing.ts';

const small = several(12, 'small', { requests: asking(0.5, 1) });
const large = several(3, 'large', { requests: asking(6, 3) });
const mixed = rehearsed(aCluster({ types: stepTypes(32), pods: [...small, ...large] }));

const classOf = (name: string): PodClass => {
  const cls = mixed.units.find((unit) => unit.cls.pods[0]?.includes(name))?.cls;
  if (!cls) throw new Error(`no class ${name}`);
  return cls;
};

describe('nodes of their own', () => {
  it('take displaced pods, and the room that these leave stays', () => {
    const { trial, units } = mixed;
    const cls = classOf('small');
    const { drafts } = trial.packing.drafting;

    const own = withNodesFor(trial, [{ cls, pods: 3, hosts: [0] }], units);

    expect(own?.drafting.drafts.length).toBeGreaterThan(drafts.length);
    expect(own?.drafting.drafts.some(({ spare }) => spare.some((amount) => amount > 0))).toBe(true);
  });

  it('are nothing for pods that others have to be with', () => {
    const requests = asking(0.5, 1);
    const pods = [
      ...several(1, 'anchor', { requests }, { app: 'anchor' }),
      ...several(3, 'near', { requests, podAffinity: [to('anchor', HOSTNAME)] }, { app: 'near' }),
    ];
    const { trial, units } = rehearsed(aCluster({ types: stepTypes(8), pods }));

    for (const { cls } of units) {
      expect(withNodesFor(trial, [{ cls, pods: 1, hosts: [0] }], units)).toBeUndefined();
    }
  });
});

describe('small nodes', () => {
  it.each([1, 2, 4])('hold no more than %d of the class, so that no larger pod fits', (most) => {
    const { theatre, trial, units } = mixed;

    const packing = withSmallNodesFor(
      classOf('small'),
      most,
      trial.packing,
      units,
      theatre.problem,
    );

    const held = packing?.drafting.drafts.flatMap(({ contents }) =>
      [...contents].flatMap(([{ cls }, count]) => (cls === classOf('small') ? [count] : [])),
    );
    expect(held?.reduce((all, count) => all + count, 0)).toBe(small.length);
    expect(Math.max(...(held ?? []))).toBeLessThanOrEqual(most);
  });
});

describe('other sizes of a node', () => {
  const { theatre, trial } = mixed;
  const { drafting } = trial.packing;
  const usdOf = (draft: (typeof drafting.drafts)[number]) =>
    cheapestType(draft, theatre.problem).hourlyUsd;

  it('are larger ones up to the price that is given', () => {
    const [first] = drafting.drafts;
    const usd = first ? usdOf(first) : 0;

    const prices = otherSizes(drafting, 0, 1, theatre.problem).map(usdOf);

    expect(prices.length).toBeGreaterThan(0);
    expect(Math.max(...prices)).toBeLessThanOrEqual(usd + 1);
    expect(Math.max(...prices)).toBeGreaterThan(usd);
  });

  it('are none where the smallest is as large as its pods', () => {
    expect(otherSizes(drafting, 0, 0, theatre.problem)).toEqual([]);
  });
});

describe('fewer nodes', () => {
  const pods = several(4, 'any', { requests: asking(1, 2) });
  const each = rehearsed(aCluster({ types: stepTypes(16), pods }), (drafting, units) => {
    for (const unit of units) {
      const [option] = unit.options;
      for (; option && unit.count > 0; unit.count--)
        openWith(drafting, { ...unit, count: 1 }, option);
    }
  });

  it('come of two that are made one', () => {
    const { packing } = each.trial;

    const merged = withMerged(packing, 0, 1);

    expect(packing.drafting.drafts).toHaveLength(4);
    expect(merged?.drafting.drafts).toHaveLength(3);
    expect(withMerged(packing, 1, 1)).toBeUndefined();
  });

  it('come of those that are dissolved, if their pods join others', () => {
    const nodesIf = (join: boolean) =>
      withoutNodes(each.trial.packing, new Set([0, 1]), { join, perNodeUsd: 0 })?.drafting.drafts;

    expect(nodesIf(true)).toHaveLength(2);
    expect(nodesIf(false)).toHaveLength(3);
  });
});
