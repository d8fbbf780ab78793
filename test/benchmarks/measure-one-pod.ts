import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { reconcileProvisioning } from '../../shared/controllers/provisioning/reconcile.ts';
import type { Cloud } from '../../shared/ports/cloud.ts';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { aFakeWorld } from '../controllers/support/fake-ports.ts';
import { aPod } from '../support/builders.ts';
import { ALL_EC2_OFFERINGS, ALL_EC2_TYPES, aTypicalPool, createEc2Snapshot } from './inputs/ec2-snapshot.ts';

// Counts the code that one pod needs: node measure-one-pod.ts plan|launch. In a process of its own, because caches
// leave out what ran before. The result is for the parent process.
const ROOT = new URL('../..', import.meta.url).href;
const TESTS = new URL('..', import.meta.url).href;

const [path] = process.argv.slice(2);
const snapshot = createEc2Snapshot({ pods: [aPod()] });
const world = aFakeWorld({ pools: [aTypicalPool()], pods: [aPod()] });
world.catalogue = { types: ALL_EC2_TYPES, offerings: ALL_EC2_OFFERINGS };

// Modules were evaluated before, so only functions that are called are counted.
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
if (path === 'plan') {
  planProvisioning(snapshot, 'decision-1');
  process.send?.({ files: await listFiles() });
} else {
  const { cloud } = world.ports;
  const launch: Cloud['launch'] = async (request) => {
    process.send?.({ files: await listFiles() });
    return await cloud.launch(request);
  };
  await reconcileProvisioning({ ...world.ports, cloud: { ...cloud, launch } });
}

async function listFiles() {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url }) => url.startsWith(ROOT) && !url.startsWith(TESTS) && !url.includes('/node_modules/'))
    .flatMap(({ url, functions }) => {
      const counts = functions.map(({ ranges: [whole] }) => whole?.count ?? 0).filter((count) => count > 0);
      const calls = counts.reduce((sum, count) => sum + count, 0);
      return counts.length === 0
        ? []
        : [{ file: fileURLToPath(url).slice(fileURLToPath(ROOT).length), functions: counts.length, calls }];
    })
    .toSorted((a, b) => (a.file < b.file ? -1 : 1));
}
