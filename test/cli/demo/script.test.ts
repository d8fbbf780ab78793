import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { playDemo } from '../../../cli/demo/script.ts';
import { createSimulatedCluster } from '../../../cli/playground/simulated-cluster.ts';
import { readManifests } from '../../../shared/api/manifests/read-manifests.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';

const FILES = ['batch.yaml', 'lab.yaml', 'nodes.yaml', 'web.yaml'].map((file) => ({
  file,
  text: readFileSync(new URL(`../../../cli/demo/${file}`, import.meta.url), 'utf8'),
}));
const NOTEBOOK = { kind: 'Deployment', namespace: 'lab', name: 'notebook' } as const;

function startDemo() {
  const reading = readManifests(FILES);
  if (reading.outcome === 'refused') throw new Error(JSON.stringify(reading.problems));
  const world = createSimulatedCluster(reading.manifests, 1);
  const demo = playDemo(world);
  const pass = (ms: number) => world.clock.runUntil(world.clock.now() + ms);
  const countActions = () => world.events().filter(({ event }) => event.kind === 'you' && event.by === 'demo').length;
  return { world, demo, pass, countActions };
}

describe('the script of the demo', () => {
  it('says what happens now', async () => {
    const { demo, pass } = startDemo();
    expect(demo.caption()).toMatch(/first nodes/);

    await pass(MINUTE_MS + SECOND_MS);
    expect(demo.caption()).toMatch(/24 render pods/);
  });

  it('stops after an action of the user, and plays a new round when it is continued', async () => {
    const { world, demo, pass, countActions } = startDemo();
    world.userActions.scale(NOTEBOOK, 0);
    await pass(MINUTE_MS + SECOND_MS);
    expect(demo.isStopped()).toBe(true);
    expect(countActions()).toBe(0);

    demo.resume();
    expect(demo.isStopped()).toBe(false);
    await pass(MINUTE_MS + SECOND_MS);
    expect(countActions()).toBe(1);
  });
});
