import * as z from 'zod';
import type { Lab } from '../lab/start-lab.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { allowController, mortise } from '../mortise-command.ts';
import { expect, type Scenario } from '../scenario.ts';

/** An engineer on call looks in each of these places, and each must tell the cause within this time. */
const TOLD_WITHIN_MS = 5_000;

const eventsSchema = z.object({
  items: z.array(
    z.object({ reason: z.string(), regarding: z.object({ kind: z.string(), name: z.string() }) }),
  ),
});

/** `Evicted Pod web-1`, for all Events of Mortise. */
async function listEvents(lab: Lab): Promise<readonly string[]> {
  const text = await lab.kubectl(['get', 'events.events.k8s.io', '-A', '-o', 'json']);
  return eventsSchema
    .parse(JSON.parse(text))
    .items.map(({ reason, regarding: { kind, name } }) => `${reason} ${kind} ${name}`);
}

export const blockedDrain: Scenario = {
  name: 'a drain that can never finish says so at once',
  id: 'on-call',
  async run(lab, world) {
    await world.pool({ instanceTypes: ['m5.large', 'm5a.large', 'm6i.large'] });
    await lab.kubectl(['apply', '-f', '-'], {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { namespace: world.id, name: 'guarded' },
      spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'guarded' } } },
    });
    await world.deployment('guarded', 1, { cpu: '200m' });
    await world.deployment('free', 1, { cpu: '200m' });
    const pods = await world.waitForRunning(2);
    const [guarded, free] = ['guarded', 'free'].map((app) =>
      pods.find(({ name }) => name.startsWith(app)),
    );
    const claim = (await world.claims()).find(({ node }) => node === guarded?.node);
    if (!claim || !guarded || free?.node !== guarded.node) {
      throw new Error('the pods do not share a node');
    }

    await allowController(lab);
    const start = performance.now();
    await lab.kubectl(['delete', 'nodeclaim', claim.name, '--wait=false']);
    const timeUntil = async (what: string, ask: () => Promise<boolean>): Promise<number> => {
      await waitUntil(what, ask, { timeoutMs: 30_000 });
      return Math.round(performance.now() - start);
    };
    const seesEvent = (event: string) => async () => (await listEvents(lab)).includes(event);
    const [evictedMs, podEventMs, claimEventMs, nodeEventMs, conditionMs] = await Promise.all([
      timeUntil('Evicted', seesEvent(`Evicted Pod ${free.name}`)),
      timeUntil('the Event of the pod', seesEvent(`FailedDraining Pod ${guarded.name}`)),
      timeUntil('the Event of the claim', seesEvent(`FailedDraining NodeClaim ${claim.name}`)),
      timeUntil('the Event of the node', seesEvent(`FailedDraining Node ${claim.node}`)),
      timeUntil('the condition', async () =>
        (await lab.kubectl(['get', 'nodeclaim', claim.name, '-o', 'json'])).includes(
          'never allows an eviction',
        ),
      ),
    ]);
    const explained = await mortise(lab, ['explain', 'node', claim.node, '--live'], 'controller');
    expect(explained.includes('guarded'), `explain names the budget: ${explained}`);
    const fix = `kubectl patch poddisruptionbudget guarded -n ${world.id}`;
    expect(explained.includes(fix), `explain prints the fix: ${explained}`);

    await lab.kubectl([
      'patch',
      'pdb',
      'guarded',
      '-n',
      world.id,
      '--type',
      'merge',
      '-p',
      '{"spec":{"maxUnavailable":1}}',
    ]);
    await waitUntil(
      'the end of the drained claim',
      async () => (await world.claims()).every(({ name }) => name !== claim.name),
      { timeoutMs: 120_000 },
    );
    const measures = { evictedMs, podEventMs, claimEventMs, nodeEventMs, conditionMs };
    for (const [measure, ms] of Object.entries(measures)) {
      expect(ms <= TOLD_WITHIN_MS, `${measure} is ${ms}, more than ${TOLD_WITHIN_MS}`);
    }
    return measures;
  },
};
