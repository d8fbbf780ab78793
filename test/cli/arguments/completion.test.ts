import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { mortise } from '../call.ts';

const valuesFor = async (...words: readonly string[]): Promise<string[]> => {
  const { stdout } = await mortise(['complete', '--', ...words]);
  return stdout
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(':'))
    .map((line) => line.split('\t')[0] ?? '');
};

describe('completion', () => {
  it.for(['bash', 'zsh', 'fish', 'powershell'])('has a script for %s', async (shell) => {
    const { code, stdout, stderr } = await mortise(['completion', shell]);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/mortise complete '?--/);
  });

  it('can be loaded twice into one bash, as when ~/.bashrc is read again', async () => {
    const { stdout } = await mortise(['completion', 'bash']);
    const run = promisify(execFile);

    const { stderr } = await run('bash', ['--norc', '-c', `${stdout}\n${stdout}`]);
    expect(stderr).toBe('');
  });

  it('suggests the verbs', async () => {
    expect(await valuesFor('s')).toEqual(['start', 'simulate', 'snapshot', 'schema']);
  });

  it('suggests the flags of a verb', async () => {
    expect(await valuesFor('simulate', '--s')).toEqual(['--seed', '--speed']);
  });

  it('suggests the sort keys of instance-types', async () => {
    expect(await valuesFor('instance-types', '--sort', 'p')).toEqual(['price', 'pods']);
  });

  it('suggests the values of a flag', async () => {
    expect(await valuesFor('simulate', '--output', '')).toEqual(['text', 'json', 'yaml', 'name']);
  });
});
