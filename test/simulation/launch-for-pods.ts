import { NODEPOOL_LABEL } from '../../shared/model/labels.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import type { Pod } from '../../shared/model/pods/pod.ts';
import { isDaemon } from '../../shared/model/pods/workload.ts';
import { isSameTaint, UNREGISTERED_TAINT } from '../../shared/model/requirements/taints.ts';
import { addResources } from '../../shared/model/resources.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import type { Hint } from '../../shared/ports/work-queue.ts';
import { aNodeClaim } from '../support/builders.ts';
import { launchOne } from '../support/launch-one.ts';

const PODS_PER_NODE = 7;

/** A minimal controller: launches nodes for pending pods and registers them. */
export function launchForPods(ports: Ports): (hint: Hint) => Promise<void> {
  let launched = 0;
  const planned = new Set<string>();

  async function plan(): Promise<void> {
    const { pods } = await ports.cluster.observe();
    const waiting = pods.filter((pod) => pod.unschedulableSince && !planned.has(pod.uid));
    const batch = waiting.filter((pod) => !isDaemon(pod));
    for (let index = 0; index < batch.length; index += PODS_PER_NODE) {
      await launch(batch.slice(index, index + PODS_PER_NODE));
    }
  }

  async function launch(pods: readonly Pod[]): Promise<void> {
    launched += 1;
    const claim: NodeClaim = aNodeClaim({
      name: `general-${launched}`,
      createdAt: ports.clock.now(),
      instanceTypes: ['m7i.2xlarge'],
      requests: addResources(...pods.map(({ spec }) => spec.requests)),
    });
    await ports.nodeClaims.save(claim, 0);
    const outcome = await launchOne(ports.cloud, claim);
    if (outcome.outcome === 'unavailable') return;
    for (const { uid } of pods) planned.add(uid);
    await ports.nodeClaims.save({ ...claim, launch: outcome.launch }, 1);
  }

  async function register(name: string): Promise<void> {
    const stored = await ports.nodeClaims.find(name);
    const { nodes } = await ports.cluster.observe();
    const node = nodes.find(({ providerId }) => providerId === stored?.claim.launch?.providerId);
    if (!stored || !node || stored.claim.nodeName !== undefined) return;
    const taints = node.taints.filter((taint) => !isSameTaint(taint, UNREGISTERED_TAINT));
    const labels = { [NODEPOOL_LABEL]: stored.claim.pool };
    await ports.cluster.changeNode(node, { labels, taints });
    await ports.nodeClaims.save({ ...stored.claim, nodeName: node.name }, stored.version);
  }

  return async (hint) => {
    if (hint.topic === 'plan' || hint.topic === 'sweep') await plan();
    if (hint.topic === 'claim') await register(hint.claim);
  };
}
