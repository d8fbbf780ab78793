import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sweep } from '../../../shared/controllers/sweep.ts';
import { createPrograms } from '../lab/programs.ts';
import { installPythonTools } from '../lab/python-tools.ts';
import { startAccount } from './account.ts';
import { collectGarbage } from './collect-garbage.ts';
import { faultStorm } from './fault-storm.ts';
import { launchNodes } from './launch-nodes.ts';
import { resolveClasses } from './resolve-classes.ts';
import { createWorld, type Stage } from './world.ts';

/**
 * `npm run e2e -- aws`: runs our adapters and controllers on emulated EC2, IAM and SSM and a local
 * table, without a cluster or a deployment. Prints the figures of each stage as JSON.
 */

const STAGES: Readonly<Record<string, Stage>> = {
  resolveClasses,
  launchNodes,
  collectGarbage,
  weatherStorm: faultStorm,
};

const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

const folder = mkdtempSync(join(tmpdir(), 'mortise-moto-'));
const programs = createPrograms(folder);
const failures: string[] = [];
const outcomes: Record<string, unknown> = {};
let now = (): number => Date.now();
try {
  const tools = await installPythonTools(say);
  const account = await startAccount({ programs, tools, folder }, () => now());
  const world = await createWorld(account);
  now = () => world.fake.now;
  // From here on, the records contain every launched instance.
  await sweep(world.ports);
  for (const [name, act] of Object.entries(STAGES)) {
    const begun = performance.now();
    const seconds = () => Math.round((performance.now() - begun) / 100) / 10;
    try {
      outcomes[name] = { ...(await act(world, account)), seconds: seconds() };
      say(`ok     ${name} (${seconds()} s)`);
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      say(`FAILED ${name}\n${programs.tails(30)}`);
      break;
    }
  }
  await world.end();
  await account.end();
} catch (error) {
  failures.push(String(error));
  say(programs.tails(10));
}
process.stdout.write(`${JSON.stringify({ ...outcomes, failures }, null, 2)}\n`);
await programs.endAll();
rmSync(folder, { recursive: true, force: true });
process.exit(failures.length === 0 ? 0 : 1);
