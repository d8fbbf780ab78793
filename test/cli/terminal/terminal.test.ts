import { describe, expect, it } from 'vitest';
import { pagerFor } from '../../../cli/terminal/pager.ts';
import { terminalOf } from '../../../cli/terminal/terminal.ts';
import { mortise } from '../call.ts';

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
    ['is on with FORCE_COLOR, whatever NO_COLOR says', false, { FORCE_COLOR: '1', NO_COLOR: '1' }, undefined, true],
    ['is off with FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, undefined, false],
    ['obeys --color always', false, { NO_COLOR: '1' }, 'always', true],
    ['obeys --color never', true, { FORCE_COLOR: '1' }, 'never', false],
  ] as const)('%s', ([, isTTY, env, color, expected]) => {
    expect(isColored(isTTY, env, color)).toBe(expected);
  });

  it('marks errors, and the text says the same without it', async () => {
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

    expect(stdout.split('\n')[0]).toMatch(/^CODE +FROM$/);
    expect(stdout).toMatch(/^blocked-by-do-not-disrupt +disruption$/m);
  });

  it('has all columns outside a terminal', async () => {
    const [head, ...rows] = (await mortise(['reasons'])).stdout.split('\n');

    expect(head).toMatch(/^CODE +FROM +SENTENCE$/);
    expect(rows.find((row) => row.startsWith('empty '))).toMatch(
      /^empty +disruption +removed: no pods since \{since\}$/,
    );
  });
});

describe('a long answer', () => {
  const LONG = 'line\n'.repeat(24);
  const at = (tty: { isTTY: boolean; columns: number; rows: number }) => terminalOf({ write() {}, ...tty }, {});
  const terminal = at({ isTTY: true, columns: 80, rows: 24 });

  it.for([
    ['less -FRX where nothing is said', {}, 'less -FRX'],
    ['$PAGER', { PAGER: 'more' }, 'more'],
    ['$MORTISE_PAGER before that', { PAGER: 'more', MORTISE_PAGER: 'bat' }, 'bat'],
    ['nothing where that is empty', { PAGER: 'more', MORTISE_PAGER: '' }, undefined],
  ] as const)('is sent to %s', ([, env, pager]) => {
    expect(pagerFor(LONG, terminal, env)).toBe(pager);
  });

  it.for([
    ['off a terminal', at({ isTTY: false, columns: 80, rows: 24 })],
    ['on a terminal without a size', at({ isTTY: true, columns: 0, rows: 0 })],
    ['on a terminal that has room', at({ isTTY: true, columns: 80, rows: 50 })],
  ] as const)('is printed directly %s', ([, roomy]) => {
    expect(pagerFor(LONG, roomy, {})).toBeUndefined();
  });

  it('is printed directly if the pager does not exist', async () => {
    const call = { tty: { columns: 200, rows: 5 }, env: { MORTISE_PAGER: 'no-such-pager-here' } };

    expect((await mortise(['reasons', '--no-color'], call)).stdout).toMatch(/^CODE/);
  });
});
