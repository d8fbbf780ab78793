import { describe, expect, it } from 'vitest';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { deleteClaim } from '../../../shared/controllers/support/claim-writes.ts';
import { RESTART_WHEN_BLOCKED_ANNOTATION } from '../../../shared/model/labels.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { aWorld, podsIn, runFor } from '../../simulation/support.ts';
import { aDeployment, aPodDisruptionBudget, aPodTemplate } from '../../support/builders.ts';

/** A Deployment of two pods whose budget allows no eviction, on a node that is deleted. */
async function drain(annotations: Readonly<Record<string, string>>) {
  const template = aPodTemplate({ annotations });
  const world = aWorld({
    workloads: [aDeployment({ replicas: 2, template })],
    podDisruptionBudgets: [aPodDisruptionBudget()],
  });
  world.consume((hint) => dispatch(world.ports, hint));
  await runFor(world, 5 * MINUTE_MS);
  const [stored] = await world.ports.nodeClaims.list();
  const claim = stored?.claim.name ?? '';
  await deleteClaim(world.ports, claim, { removal: 'Requested', at: world.clock.now() });

  let fewestReady = 2;
  for (let second = 0; second < 10 * 60; second += 1) {
    await runFor(world, SECOND_MS);
    const ready = (await podsIn(world)).filter((pod) => pod.ready && pod.deletionAt === undefined);
    fewestReady = Math.min(fewestReady, ready.length);
  }
  const ended = (await world.ports.nodeClaims.find(claim))?.claim.terminatedAt !== undefined;
  return { ended, fewestReady, pods: await podsIn(world) };
}

describe('a Deployment whose budget allows no eviction', () => {
  it('holds up the drain of its node by default', async () => {
    expect(await drain({})).toMatchObject({ ended: false, fewestReady: 2 });
  });

  it('moves with the annotation: its pods start elsewhere before the old ones end', async () => {
    const { ended, fewestReady, pods } = await drain({ [RESTART_WHEN_BLOCKED_ANNOTATION]: 'true' });

    expect({ ended, fewestReady }).toEqual({ ended: true, fewestReady: 2 });
    expect(pods.map(({ phase }) => phase)).toEqual(['Running', 'Running']);
  });
});
