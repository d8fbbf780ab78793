import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { aFleet, type Decision, decide, type FleetNode, findStayReason, web } from '../fleet.ts';

const settings = { ...DEFAULT_SETTINGS, consolidationPaybackMs: 'Any' as const };

/** A large node that cannot be removed, with this much room. */
const withRoom = (name: string, cpus: number): FleetNode => ({
  name,
  type: 'large',
  pods: [web(`${name}-heavy`, 8 - cpus)],
});
const aMove = (nodes: readonly FleetNode[]): ClusterSnapshot => aFleet(nodes, { settings });
const findDisplacedPod = ({ verdicts }: Decision, name: string): string | undefined =>
  verdicts.find(({ claim }) => claim === name)?.reason.fields.pod;

describe('pods that kube-scheduler may bind in another order', () => {
  // The small pod fits beside the others on `b`, but kube-scheduler prefers the emptier `a`.
  const apart = [withRoom('a', 3), withRoom('b', 0.5)];
  const medium: FleetNode = { name: 'c', type: 'medium', pods: [web('large', 3), web('small')] };

  it('stay if a small pod may take the place of a large one, which would need as large a node', () => {
    const decision = decide(aMove([...apart, medium]));

    expect(decision.gone).toEqual([]);
    expect(findStayReason(decision, 'c')).toBe('depends-on-order');
    expect(findDisplacedPod(decision, 'c')).toBe('default/large');
  });

  it('move if every order leaves room for all of them', () => {
    const decision = decide(aMove([withRoom('a', 3.5), withRoom('b', 0.5), medium]));

    expect(decision.gone).toEqual(['c']);
    expect(decision.replacedBy).toEqual([]);
  });

  it('move if their kinds cannot take the places of each other', () => {
    const pods = [web('one', 2), web('two', 2)];
    const decision = decide(aMove([withRoom('a', 2), withRoom('b', 2), { name: 'c', type: 'medium', pods }]));

    expect(decision.gone).toEqual(['c']);
  });

  it('move if the node for the displaced pod costs less than the move saves', () => {
    const large: FleetNode = { ...medium, type: 'large' };
    const decision = decide(aMove([...apart, large]));

    expect(decision.gone).toEqual(['c']);
    expect(decision.command?.savingHourlyUsd).toBeCloseTo(0.4);
  });

  it('get the payback time of the worst order', () => {
    const large: FleetNode = { ...medium, type: 'large' };

    // Two evictions at a cent each. Of $0.40 per hour, the node for the large pod leaves $0.20.
    expect(decide(aMove([...apart, large])).command?.price?.paybackMs).toBe(6 * MINUTE_MS);
  });
});
