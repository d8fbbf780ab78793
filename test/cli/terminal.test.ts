import { describe, expect, it } from 'vitest';
import { terminalOf } from '../../cli/terminal.ts';
import { mortise } from './call.ts';

const ESCAPE = '\u001b[';
const TTY = { columns: 80, rows: 24 };

const isColored = (isTTY: boolean, env: Record<string, string>, color?: 'always' | 'never') =>
  terminalOf({ write() {}, isTTY }, env, color ? { color } : {})
    .paint('bad', 'x')
    .includes(ESCAPE);

describe('colour', () => {
  it.for([
    ['is on at a terminal', true, {}, undefined, true],
    ['is off in a pipe', false, {}, undefined, false],
    ['is off with NO_COLOR', true, { NO_COLOR: '1' }, undefined, false],
    ['ignores an empty NO_COLOR', true, { NO_COLOR: '' }, undefined, true],
    ['is off on a dumb terminal', true, { TERM: 'dumb' }, undefined, false],
    [
      'is on with FORCE_COLOR, whatever NO_COLOR says',
      false,
      { FORCE_COLOR: '1', NO_COLOR: '1' },
      undefined,
      true,
    ],
    ['is off with FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, undefined, false],
    ['obeys --color always', false, { NO_COLOR: '1' }, 'always', true],
    ['obeys --color never', true, { FORCE_COLOR: '1' }, 'never', false],
  ] as const)('%s', ([, isTTY, env, color, expected]) => {
    expect(isColored(isTTY, env, color)).toBe(expected);
  });

  it('marks errors, and the words say the same', async () => {
    const colored = await mortise(['nix'], { tty: TTY });
    const plain = await mortise(['nix'], { tty: TTY, env: { NO_COLOR: '1' } });

    expect(colored.stderr).toContain(`${ESCAPE}31merror:${ESCAPE}`);
    expect(plain.stderr).toMatch(/^error: no command `nix`\n/);
  });
});

describe('a table', () => {
  it('loses columns from the right on a narrow terminal, never the names', async () => {
    const call = { tty: { columns: 40, rows: 100 }, env: { NO_COLOR: '1' } };
    const { stdout } = await mortise(['reasons'], call);

    expect(stdout.split('\n')[0]).toBe('CODE                       FROM');
    expect(stdout).toContain('blocked-by-do-not-disrupt  disruption\n');
  });

  it('is whole off a terminal', async () => {
    expect((await mortise(['reasons', 'empty'])).stdout).toBe(
      'CODE   FROM        SENTENCE\nempty  disruption  removed: no pods since {since}\n',
    );
  });
});
