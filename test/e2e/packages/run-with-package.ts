import { inspect, parseArgs } from 'node:util';
import { intakeUrl } from '../lab/aws/deploy.ts';
import { startProgress } from '../lab/progress.ts';
import { type Lab, startLab } from '../lab/start-lab.ts';
import type { Measures } from '../scenario.ts';
import { type Installation, installPackage } from './install.ts';

type Part = (lab: Lab, from: Installation) => Promise<Measures>;

/**
 * Runs parts with the packed `mortise`, on a real control plane and a local AWS: one after the other, or those
 * that `--only <name>` (repeatable) chooses. Prints what they measured as JSON, and ends the process.
 *
 * @param prepare - done once before the first part
 */
export async function runWithPackage(
  parts: Readonly<Record<string, Part>>,
  prepare: (lab: Lab) => Promise<void> = async () => {},
): Promise<never> {
  const chosen = chooseParts(parts);
  const say = startProgress();
  const lab = await startLab(say);
  const failures: string[] = [];
  const measured: Record<string, Measures> = {};
  try {
    const from = await installPackage(lab.folder, { ...lab.awsEnvironment, CI: 'true' });
    await prepare(lab);
    for (const [name, run] of chosen) {
      say(name);
      // Each part deploys a stack of its own.
      lab.hooks.find(() => intakeUrl(lab.cloud));
      measured[name] = await run(lab, from);
    }
    lab.rights.check();
  } catch (error) {
    failures.push(inspect(error));
    say(lab.tails());
    say(await lab.kubectl(['get', 'events', '-A', '--sort-by=.lastTimestamp']));
  }
  for (const line of lab.rights.lines()) say(line);
  process.stdout.write(`${JSON.stringify({ measured, failures }, undefined, 2)}\n`);
  await lab.end();
  process.exit(failures.length === 0 ? 0 : 1);
}

function chooseParts(parts: Readonly<Record<string, Part>>): readonly (readonly [string, Part])[] {
  const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } });
  const { only = Object.keys(parts) } = values;
  const unknown = only.filter((name) => !Object.hasOwn(parts, name));
  if (unknown.length === 0) return Object.entries(parts).filter(([name]) => only.includes(name));
  const names = Object.keys(parts).join(', ');
  process.stderr.write(`There is no ${unknown.join(', ')}. There are: ${names}.\n`);
  process.exit(2);
}
