import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { simulationSchema } from '../../cli/documents/simulation.ts';
import { readNonEmptyManifests } from '../../cli/manifests/cluster-manifests.ts';
import { advance } from '../../cli/playground/advance.ts';
import { createSimulatedCluster, STARTS_AT } from '../../cli/playground/simulated-cluster.ts';
import { listUnplacedPods } from '../../cli/playground/unplaced-pods.ts';
import { processIo } from '../../cli/terminal/io.ts';
import { observeCluster } from '../../shared/controllers/observe-cluster.ts';
import { podKey } from '../../shared/model/pods/pod.ts';
import { isDaemon } from '../../shared/model/pods/workload.ts';
import { HOUR_MS } from '../../shared/model/time.ts';
import { documentOf, mortise } from '../cli/call.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));
const names = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const NEVER = new AbortController().signal;

/** Simulates the example's cluster for two hours. */
async function clusterOf(example: string) {
  const manifests = await readNonEmptyManifests([join(EXAMPLES, example)], {
    recursive: true,
    io: processIo(),
  });
  const world = createSimulatedCluster(manifests, 1);
  await advance(world.clock, STARTS_AT + 2 * HOUR_MS, { speed: 'max', stop: NEVER });
  const snapshot = await observeCluster(world.ports);
  return { world, snapshot, pods: snapshot.pods.filter((pod) => !isDaemon(pod)) };
}

describe('every example', () => {
  it.for(names)('%s ends with each pod running, completed or with a reason', async (example) => {
    const { world, pods, snapshot } = await clusterOf(example);
    const reasons = new Map(
      listUnplacedPods({ snapshot, decisions: world.decisions() }).map((unplaced) => [
        unplaced.pod,
        unplaced.reasons.map(({ code }) => code),
      ]),
    );

    expect(world.ledger.createdPods).toBeGreaterThan(0);
    const unexplained = pods
      .filter(({ phase, deletionAt }) => phase === 'Pending' && deletionAt === undefined)
      .map(podKey)
      .filter((pod) => (reasons.get(pod) ?? []).length === 0);
    expect(unexplained).toEqual([]);
    expect([...reasons.values()].flat()).not.toContain('pod-not-considered');
  });

  it.for(names)('%s gives byte-identical results for two runs with one seed', async (example) => {
    const argv = ['simulate', '-f', join(EXAMPLES, example), '-o', 'json', '--for', '1h'];
    const [first, second] = [await mortise(argv), await mortise(argv)];

    expect(first.code).toBe(0);
    expect(second.stdout).toBe(first.stdout);
  });

  it.for(names)('%s costs no less than its lower bound', async (example) => {
    const argv = ['simulate', '-f', join(EXAMPLES, example), '-o', 'json', '--for', '30m'];
    const { boundUsd, costUsd = 0 } = simulationSchema.parse(documentOf(await mortise(argv)).result);

    expect(boundUsd).toBeLessThanOrEqual(costUsd);
  });
});
