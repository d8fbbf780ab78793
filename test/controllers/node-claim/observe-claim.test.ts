import { describe, expect, it } from 'vitest';
import { observeClaim } from '../../../shared/controllers/node-claim/observe-claim.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { Cluster } from '../../../shared/ports/cluster.ts';
import { aPodDisruptionBudget, aRunningPod, NOON } from '../../support/builders.ts';
import { addRunning, aFakeWorld, claimOf } from '../support/fake-ports.ts';

/** A draining claim, by default one that EC2 takes two minutes after its notice. */
const taken = (over: Partial<NodeClaim> = {}): Partial<NodeClaim> => ({
  deletingAt: NOON,
  drainingAt: NOON,
  interruption: 'spot_interrupted',
  drainDeadline: NOON + 2 * MINUTE_MS,
  ...over,
});

/**
 * Observes `own` where a reader of single claims gives the pods of its Node alone.
 *
 * @returns the keys of the pods on other interrupted Nodes, and the Nodes whose pods were read
 */
async function observeOwn(
  claims: Readonly<Record<string, Partial<NodeClaim>>>,
  pods: readonly Pod[],
  budgets = [aPodDisruptionBudget()],
) {
  const world = aFakeWorld({ pods, podDisruptionBudgets: budgets });
  for (const [name, over] of Object.entries(claims)) await addRunning(world, name, over);
  const readNodes: string[] = [];
  const onNodes = (names: readonly string[]) =>
    world.objects.pods.filter(({ nodeName = '' }) => names.includes(nodeName));
  const cluster: Cluster = {
    ...world.ports.cluster,
    observeClaim: async () => ({
      ...(await world.ports.cluster.observe()),
      pods: onNodes(['own']),
    }),
    podsOnNodes: async (names) => {
      readNodes.push(...names);
      return onNodes(names);
    },
  };
  const claim = await claimOf(world, 'own');
  if (!claim) throw new Error('no claim');
  const { interruptedElsewhere = [] } = await observeClaim({ ...world.ports, cluster }, claim);
  return { elsewhere: interruptedElsewhere.map(({ pod }) => pod.name), readNodes };
}

const podOn = (node: string, over: Partial<Pod> = {}): Pod => aRunningPod(node, { name: `web-${node}`, ...over });

describe('the pods whose deletions a drain spreads besides its own', () => {
  it('are those of its budgets on other Nodes that EC2 takes soon', async () => {
    const observed = await observeOwn(
      {
        own: taken(),
        late: taken({ drainDeadline: NOON + 2 * MINUTE_MS + SECOND_MS }),
        soon: taken(),
        gone: taken({ terminatedAt: NOON }),
        drifted: { deletingAt: NOON, drainingAt: NOON },
        busy: {},
      },
      [
        ...['own', 'late', 'soon', 'gone', 'drifted', 'busy'].map((node) => podOn(node)),
        podOn('soon', { name: 'other', labels: { app: 'other' } }),
        podOn('soon', { name: 'finished', phase: 'Succeeded' }),
      ],
    );

    expect(observed.readNodes).toEqual(['soon', 'late']);
    expect(observed.elsewhere).toEqual(['web-late', 'web-soon']);
  });

  it('are read on 30 Nodes at most, those that EC2 takes first', async () => {
    const others = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `n-${index}`,
        taken({ drainDeadline: NOON + 2 * MINUTE_MS - index * SECOND_MS }),
      ]),
    );
    const { readNodes } = await observeOwn({ own: taken(), ...others }, [podOn('own')]);

    expect(readNodes).toEqual(Array.from({ length: 30 }, (_, index) => `n-${39 - index}`));
  });

  it.each([
    ['EC2 does not take its own Node', { deletingAt: NOON, drainingAt: NOON }, [aPodDisruptionBudget()]],
    ['no budget holds its pods', taken(), []],
  ])('are not read if %s', async (_, own, budgets) => {
    const { readNodes } = await observeOwn({ own, soon: taken() }, [podOn('own')], budgets);

    expect(readNodes).toEqual([]);
  });
});
