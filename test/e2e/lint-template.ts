import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPythonTools } from './lab/python-tools.ts';
import { REPOSITORY } from './lab/repository.ts';
import { runCommand } from './lab/run-command.ts';

/**
 * `npm run e2e -- lint`: checks the output of `cdk synth` with cfn-lint. Exits with 1 for a finding.
 */
const say = (line: string): void => void process.stderr.write(`${line}\n`);

const tools = await installPythonTools(say);
const folder = mkdtempSync(join(tmpdir(), 'mortise-synth-'));
try {
  const synth = ['synth', '--quiet', '-c', 'cluster=demo', '-o', folder];
  await runCommand({ command: 'cdk', args: synth, cwd: REPOSITORY });
  const templates = globSync(join(folder, '*.template.json'));
  await runCommand({ command: join(tools, 'cfn-lint'), args: templates, cwd: REPOSITORY });
  say(`${templates.length} passed, 0 failed`);
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
