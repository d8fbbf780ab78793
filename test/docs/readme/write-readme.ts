import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { playDemo } from '../../../cli/demo/script.ts';
import { createPace } from '../../../cli/playground/pace.ts';
import { createPlaygroundSource } from '../../../cli/playground/playground-source.ts';
import { createSimulatedCluster } from '../../../cli/playground/simulated-cluster.ts';
import { startConsoleServer } from '../../../console/server.ts';
import { readManifests } from '../../../shared/api/manifests/read-manifests.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { launchChromium, openConsole } from '../../browser/support/chromium.ts';
import { runCommand } from '../../e2e/lab/run-command.ts';
import { demoTable } from './demo-table.ts';
import { readSection, replaceSection, withoutIndent } from './sections.ts';

/**
 * `node test/docs/readme/write-readme.ts`: takes the picture of the README from the demo, and writes its table of the
 * demo and its simulated day as they are now; the reference of the command shows the same day. The day needs about two minutes and a quiet machine.
 */

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const README = `${ROOT}README.md`;
const REFERENCE = `${ROOT}docs/reference/cli.md`;
const DEMO_FILES = ['batch.yaml', 'lab.yaml', 'nodes.yaml', 'web.yaml'];
/** The notebook waits, and the replacement of the interrupted node is ready. */
const PICTURE_AT_MS = 6 * MINUTE_MS;

async function takePicture(): Promise<void> {
  const files = DEMO_FILES.map((file) => ({
    file,
    text: readFileSync(`${ROOT}cli/demo/${file}`, 'utf8'),
  }));
  const reading = readManifests(files);
  if (reading.outcome === 'refused') throw new Error(JSON.stringify(reading.problems));
  const world = createSimulatedCluster(reading.manifests, 1);
  const demo = playDemo(world);
  await world.clock.runUntil(world.clock.now() + PICTURE_AT_MS);
  const source = createPlaygroundSource({
    ...{ world, demo, pace: createPace(10), seed: 1 },
    ...{ cluster: 'playground', region: 'us-east-1', reset: () => undefined },
  });
  const server = await startConsoleServer({ source, port: 0 });
  const browser = await launchChromium();
  const { page } = await openConsole(browser, server.url);
  await page.locator('[data-testid^=pending-group][data-state=blocked]').click();
  await page.getByTestId('try-fix').first().waitFor();
  await page.screenshot({ path: `${ROOT}docs/images/console.png` });
  await browser.close();
  await server.close();
}

async function simulateDay(): Promise<string> {
  const output = await runCommand({
    command: process.execPath,
    args: ['cli/bin.js', 'simulate', '-f', 'examples/day-of-5000-pods', '--for', '24h'],
    cwd: ROOT,
  });
  const lines = output.trimEnd().split('\n');
  return ['```', ...lines, '```'].map((line) => `   ${line}`.trimEnd()).join('\n');
}

await takePicture();
const withTable = replaceSection(readFileSync(README, 'utf8'), 'demo', demoTable());
writeFileSync(README, withTable);
const [before, now] = [readSection(withTable, 'day'), await simulateDay()];
writeFileSync(README, replaceSection(withTable, 'day', now));
const reference = readFileSync(REFERENCE, 'utf8');
writeFileSync(
  REFERENCE,
  reference.replace(withoutIndent(before), () => withoutIndent(now)),
);
