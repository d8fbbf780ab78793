import { describe, expect, it } from 'vitest';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { deleteClaim } from '../../../shared/controllers/support/claim-writes.ts';
import { RESTART_WHEN_BLOCKED_ANNOTATION } from '../../../shared/model/labels.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { aCatalogue, aWorld, podsIn, runFor } from '../../simulation/support.ts';
import {
  aDeployment,
  aJob,
  aNodePool,
  aPodDisruptionBudget,
  aPodSpec,
  aPodTemplate,
  aStatefulSet,
  resources,
} from '../../support/builders.ts';

/** A Deployment of two pods whose budget allows no eviction, on a node that is deleted. */
async function drain(
  annotations: Readonly<Record<string, string>>,
  createWorkload: typeof aDeployment | typeof aStatefulSet = aDeployment,
) {
  const template = aPodTemplate({ annotations });
  const world = aWorld({
    workloads: [createWorkload({ replicas: 2, template })],
    podDisruptionBudgets: [aPodDisruptionBudget()],
  });
  world.consume((hint) => dispatch(world.ports, hint));
  await runFor(world, 5 * MINUTE_MS);
  const [stored] = (await world.ports.nodeClaims.list()).records;
  const claim = stored?.claim.name ?? '';
  await deleteClaim(world.ports, claim, { removal: 'Requested', at: world.clock.now() });

  let fewestReady = 2;
  for (let second = 0; second < 10 * 60; second += 1) {
    await runFor(world, SECOND_MS);
    const ready = (await podsIn(world)).filter((pod) => pod.ready && pod.deletionAt === undefined);
    fewestReady = Math.min(fewestReady, ready.length);
  }
  const { terminatedAt, refusedRestarts } = (await world.ports.nodeClaims.find(claim))?.claim ?? {};
  return {
    ended: terminatedAt !== undefined,
    refusedRestarts,
    fewestReady,
    pods: await podsIn(world),
  };
}

/** A pod whose budget allows no eviction shares a large node with a Job, until that ends. */
async function outliveJob(annotations: Readonly<Record<string, string>>) {
  const template = aPodTemplate({ annotations, spec: aPodSpec({ requests: resources(1, 1) }) });
  const job = aPodTemplate({
    labels: { app: 'job' },
    spec: aPodSpec({ requests: resources(6, 1) }),
  });
  const { disruption } = aNodePool();
  const manifests = {
    pools: [aNodePool({ disruption: { ...disruption, consolidateAfterMs: MINUTE_MS } })],
    workloads: [
      aDeployment({ replicas: 1, template }),
      aJob({ name: 'job', completions: 1, template: job, runForMs: 5 * MINUTE_MS }),
    ],
    podDisruptionBudgets: [aPodDisruptionBudget()],
  };
  const world = aWorld(manifests, { catalogue: aCatalogue({ isSpot: () => false }) });
  world.consume((hint) => dispatch(world.ports, hint));
  await runFor(world, 5 * MINUTE_MS);
  let fewestReady = 1;
  for (let second = 0; second < 20 * 60; second += 1) {
    await runFor(world, SECOND_MS);
    const ready = (await podsIn(world)).filter((pod) => pod.ready && pod.deletionAt === undefined);
    fewestReady = Math.min(fewestReady, ready.length);
  }
  const claims = await world.ports.nodeClaims.list();
  return { types: claims.records.map(({ claim }) => claim.launch?.instanceType), fewestReady };
}

describe('a workload whose budget allows no eviction', () => {
  it('keeps its node from being consolidated by default', async () => {
    expect(await outliveJob({})).toEqual({ types: ['m7i.2xlarge'], fewestReady: 1 });
  });

  it('moves to a cheaper node with the annotation, without a moment without a ready pod', async () => {
    expect(await outliveJob({ [RESTART_WHEN_BLOCKED_ANNOTATION]: 'true' })).toEqual({
      types: ['m7i.large'],
      fewestReady: 1,
    });
  });

  it('holds up the drain of its node by default', async () => {
    expect(await drain({})).toMatchObject({ ended: false, fewestReady: 2 });
  });

  it('moves with the annotation: its pods start elsewhere before the old ones end', async () => {
    const { ended, fewestReady, pods } = await drain({ [RESTART_WHEN_BLOCKED_ANNOTATION]: 'true' });

    expect({ ended, fewestReady }).toEqual({ ended: true, fewestReady: 2 });
    expect(pods.map(({ phase }) => phase)).toEqual(['Running', 'Running']);
  });

  it('holds up the drain if it is a StatefulSet, and the claim says why it is not restarted', async () => {
    const { ended, refusedRestarts = {} } = await drain({ [RESTART_WHEN_BLOCKED_ANNOTATION]: 'true' }, aStatefulSet);

    expect({ ended, why: Object.values(refusedRestarts) }).toEqual({
      ended: false,
      why: ['it belongs to no Deployment'],
    });
  });
});
