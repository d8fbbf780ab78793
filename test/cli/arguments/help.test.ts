import { describe, expect, it } from 'vitest';
import { mortise } from '../call.ts';

const VERBS = ['start', 'simulate', 'instance-types', 'reasons', 'schema', 'config', 'completion', 'version', 'help'];

describe('help', () => {
  it('of the whole command fits on one screen and names every verb', async () => {
    const { code, stdout, stderr } = await mortise([]);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n').length).toBeLessThanOrEqual(36);
    for (const verb of VERBS) expect(stdout).toContain(`  ${verb} `);
  });

  it.for(VERBS)('of %s shows examples before flags', async (verb) => {
    const { code, stdout } = await mortise([verb, '--help']);

    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: mortise ${verb}`);
    const examples = stdout.indexOf('Examples:\n  ');
    expect(examples).toBeGreaterThan(0);
    expect(stdout.indexOf('Flags')).toBeGreaterThan(examples);
  });

  it('is the same for every way to request it', async () => {
    const byFlag = await mortise(['simulate', '-h']);

    expect(await mortise(['help', 'simulate'])).toEqual(byFlag);
  });

  it('lists each flag with its value and default', async () => {
    const { stdout } = await mortise(['help', 'simulate']);

    expect(stdout).toContain('  -o, --output FORMAT    text, json, yaml, name (text)\n');
    expect(stdout).toContain('      --for DURATION     Virtual time, like 90s, 1h30m or 7d (2h)\n');
  });
});
