import { textAt } from '../lab/json.ts';
import { NEVER_ENDS } from '../lab/kubernetes/pod-double.ts';
import type { Lab } from '../lab/start-lab.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { type ClaimView, expect, percentile, type Scenario } from '../scenario.ts';
import { ONE_OF_A_KIND } from './single-pod.ts';

const NODES = 3;
const GRACE_SECONDS = 45;
const TOLERANCE_MS = 2_000;

export const deadline: Scenario = {
  name: 'terminationGracePeriod ends a node on time, whatever a budget and a pod say',
  id: 'deadline',
  isOnce: true,
  async run(lab, world) {
    await world.pool({ terminationGracePeriod: `${GRACE_SECONDS}s` });
    await lab.kubectl(['apply', '-f', '-'], {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { namespace: world.id, name: 'web' },
      spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'web' } } },
    });
    const annotations = { [NEVER_ENDS]: '' };
    await world.deployment('web', NODES, { annotations, spec: ONE_OF_A_KIND });
    await world.waitForRunning(NODES);
    const claims = await waitUntil(`${NODES} claims with a node`, async () => {
      const joined = (await world.claims()).filter(({ node }) => node !== '');
      return joined.length === NODES && joined;
    });

    const names = claims.map(({ name }) => name);
    await lab.kubectl(['delete', 'nodeclaim', ...names, '--wait=false']);
    const delays = await Promise.all(claims.map((claim) => measureDelay(lab, claim)));
    await world.scale('web', 0);
    const p50Ms = percentile(delays, 0.5);
    const earliestMs = Math.min(...delays);
    expect(earliestMs >= 0, `an instance ended ${-earliestMs} ms before its deadline`);
    const latestMs = Math.max(...delays);
    expect(latestMs <= TOLERANCE_MS, `an instance ended ${latestMs} ms too late`);
    return { nodes: NODES, earliestMs, p50Ms, latestMs };
  },
};

/**
 * Waits for the termination of the claim's instance.
 *
 * @returns the time from the deadline to the termination; negative if it came too early
 */
async function measureDelay({ kube, ec2 }: Lab, { name, providerId }: ClaimView): Promise<number> {
  const claim = await kube.get(`/apis/karpenter.sh/v1/nodeclaims/${name}`);
  const deletedAt = Date.parse(textAt(claim, 'metadata', 'deletionTimestamp'));
  const instance = providerId.split('/').at(-1) ?? '';
  const endedAt = await waitUntil(`the termination of ${instance}`, () => ec2.terminations.get(instance), {
    timeoutMs: (GRACE_SECONDS + 30) * 1000,
  });
  return endedAt - (deletedAt + GRACE_SECONDS * 1000);
}
