import { join } from 'node:path';
import packageJson from '../../../package.json' with { type: 'json' };
import { freePort } from '../lab/free-port.ts';
import { REPOSITORY } from '../lab/repository.ts';
import { runCommand } from '../lab/run-command.ts';
import type { Lab } from '../lab/start-lab.ts';
import { expect, type Measures } from '../scenario.ts';
import { findOldestNode } from './find-node.ts';
import type { Installation } from './install.ts';

const EXAMPLE = join(REPOSITORY, 'examples/spot-batch');
const SIMULATE = ['simulate', '-f', EXAMPLE, '--for', '1h', '-o', 'json'];

/** The package on the oldest Node.js that it supports: help, validation, simulation, playground. */
export async function checkOldestNode(lab: Lab, from: Installation): Promise<Measures> {
  const node = await findOldestNode(lab.say);
  const bin = join(from.folder, 'node_modules', packageJson.name, 'cli/bin.js');
  const run = (...args: readonly string[]): Promise<string> =>
    runCommand({ command: node, args: [bin, ...args], cwd: from.folder });

  const startedAt = Date.now();
  const help = await run('--help');
  const helpMs = Date.now() - startedAt;
  expect(help.includes('Usage: mortise'), `the help is ${help}`);
  const validated = await run('validate', '-f', EXAMPLE);
  expect(validated.includes('0 refused'), `validate answers ${validated}`);
  // The same decisions, byte for byte, whatever the release of Node.js.
  expect((await run(...SIMULATE)) === (await from.mortise(...SIMULATE)), 'simulations differ');

  const port = await freePort();
  const playground = lab.programs.start({
    name: 'oldest-node-playground',
    command: node,
    args: [bin, 'start', '--port', `${port}`],
    cwd: from.folder,
  });
  try {
    await lab.programs.ready(playground, async () => {
      const page = await fetch(`http://127.0.0.1:${port}/page.js`);
      if (!page.ok) throw new Error(await page.text());
    });
  } finally {
    await playground.end();
  }
  return { helpMs };
}
