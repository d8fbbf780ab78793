import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { entriesOf, listAt, textAt, valueAt } from '../lab/json.ts';
import type { Lab } from '../lab/start-lab.ts';
import { allowController, mortise, startConsole } from '../mortise-command.ts';
import { expect, type Scenario } from '../scenario.ts';
import { ONE_OF_A_KIND } from './single-pod.ts';

const PODS = 2;
const SETTLING_MS = 15_000;

export const answersAfterwards: Scenario = {
  name: 'the record and a snapshot answer for pods and nodes that are gone',
  id: 'afterwards',
  async run(lab, world) {
    await world.pool({ consolidateAfter: '1s' });
    await world.deployment('web', PODS, { spec: ONE_OF_A_KIND });
    const [pod] = await world.waitForRunning(PODS);
    const [claim] = await world.claims();
    if (!pod || !claim) throw new Error('no pod or no NodeClaim');
    // Decisions of this time contain the nodes.
    await sleep(SETTLING_MS);
    const runningAt = new Date().toISOString();
    const snapshot = await writeSnapshots(lab, pod.name);
    await world.scale('web', 0);
    await world.waitForNodes(0, 200_000);

    await checkExplanation(lab, 'nodeclaim', claim.name, runningAt);
    await checkExplanation(lab, 'pod', `${world.id}/${pod.name}`, runningAt);
    const decision = await findLaunch(lab);
    await checkReplay(lab, world.id, decision);
    await checkConsole(lab, snapshot, claim.name);
    return { decision };
  },
};

async function answer(lab: Lab, args: readonly string[]): Promise<unknown> {
  return valueAt(JSON.parse(await mortise(lab, [...args, '-o', 'json'])), 'result');
}

/** An object that is gone is explained from a decision of its time. */
async function checkExplanation(lab: Lab, kind: string, name: string, at: string): Promise<void> {
  const explained = await answer(lab, ['explain', kind, name, '--at', at]);
  const verdict = textAt(explained, 'verdict');
  expect(verdict.startsWith(name), `${kind} ${name} is not explained: ${verdict}`);
}

/** @returns the last decision that launched nodes */
async function findLaunch(lab: Lab): Promise<string> {
  const decisions = listAt(await answer(lab, ['replay', '--since', '10m']), 'decisions');
  const launch = decisions.findLast(
    (decision) => textAt(decision, 'kind') === 'provisioning' && valueAt(decision, 'recorded', 'launches') !== 0,
  );
  return textAt(launch, 'id');
}

/** Makes the launch again: as it was, and with a NodePool that allows no node. */
async function checkReplay(lab: Lab, pool: string, decision: string): Promise<void> {
  const [same] = listAt(await answer(lab, ['replay', decision]), 'decisions');
  expect(valueAt(same, 'equal') === true, `${decision} differs: ${textAt(same, 'difference')}`);

  const manifest: unknown = JSON.parse(await lab.kubectl(['get', 'nodepool', pool, '-o', 'json']));
  const spec = withField(valueAt(manifest, 'spec'), 'limits', { cpu: '0' });
  const file = join(lab.folder, 'closed-pool.json');
  writeFileSync(file, JSON.stringify(withField(manifest, 'spec', spec)));
  const [other] = listAt(await answer(lab, ['replay', decision, '-f', file]), 'decisions');
  expect(valueAt(other, 'recorded', 'launches') !== 0, 'the recorded decision launched nothing');
  expect(valueAt(other, 'replayed', 'launches') === 0, 'a closed NodePool launched nodes');
}

const withField = (object: unknown, field: string, value: unknown): object =>
  Object.fromEntries([...entriesOf(object), [field, value]]);

/** @returns the file with names; the one without is checked here */
async function writeSnapshots(lab: Lab, pod: string): Promise<string> {
  const named = join(lab.folder, 'named.json.gz');
  const hashed = join(lab.folder, 'hashed.json.gz');
  await allowController(lab);
  await mortise(lab, ['snapshot', '--out', named, '--force'], 'controller');
  const redacted = ['snapshot', '--out', hashed, '--force', '--redact', 'names'];
  await mortise(lab, redacted, 'controller');
  expect(textOf(named).includes(pod), 'the snapshot lacks the pod');
  expect(!textOf(hashed).includes(pod), 'a redacted snapshot names the pod');
  for (const file of [named, hashed]) {
    const decisions = listAt(await answer(lab, ['replay', file]), 'decisions');
    expect(decisions.length > 0, `${file} has no decision`);
    expect(
      decisions.every((decision) => valueAt(decision, 'equal') === true),
      `a decision of ${file} differs`,
    );
  }
  return named;
}

const textOf = (file: string): string => gunzipSync(readFileSync(file)).toString();

/** The page of the snapshot contains the NodeClaim, although the cluster has it no more. */
async function checkConsole(lab: Lab, file: string, claim: string): Promise<void> {
  const page = await startConsole(lab, ['--from', file]);
  const state = JSON.stringify(await page.read('state'));
  expect(state.includes(claim), `the page of ${file} lacks ${claim}`);
  await page.end();
}
