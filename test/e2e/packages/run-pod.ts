import { CLUSTER, type Lab } from '../lab/start-lab.ts';
import { waitForNodeClass } from '../prepare-lab.ts';
import type { World } from '../scenario.ts';
import { createWorld } from '../world.ts';
import { nodeClassFor } from './lab-objects.ts';

interface PodRun {
  readonly world: World;
  /** From the Deployment to its running pod. */
  readonly podRunningMs: number;
}

/**
 * Waits until the deployed stack has launched a node for a pod.
 *
 * @param id - of the NodePool
 * @param role - of the nodes, as the stack names it
 */
export async function runPod(lab: Lab, { id, role }: { readonly id: string; readonly role: string }): Promise<PodRun> {
  await lab.kubectl(['apply', '-f', '-'], nodeClassFor(CLUSTER, role));
  await waitForNodeClass(lab);
  const world = await createWorld(lab, id);
  await world.pool();
  const applied = Date.now();
  await world.deployment('web', 1);
  await world.waitForRunning(1);
  return { world, podRunningMs: Date.now() - applied };
}
