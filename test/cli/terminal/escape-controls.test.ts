import { describe, expect, it } from 'vitest';
import { escapeControls } from '../../../cli/terminal/escape-controls.ts';
import { terminalOf } from '../../../cli/terminal/terminal.ts';

describe('text on a terminal', () => {
  it.each([
    ['a sequence that clears the screen', 'web\u001b[2Jdb', 'web\\u001b[2Jdb'],
    ['a sequence that sets the title', '\u001b]0;root\u0007', '\\u001b]0;root\\u0007'],
    ['the one-character form of a sequence', '\u009b31m', '\\u009b31m'],
    ['a carriage return that overwrites a line', 'failed\rfine', 'failed\\u000dfine'],
    ['a backspace', 'no\u0008\u0008ok', 'no\\u0008\\u0008ok'],
    ['a mark that reverses text', 'a\u202eb', 'a\\u202eb'],
  ])('shows %s of a name as an escape', (_, name, shown) => {
    expect(escapeControls(name)).toBe(shown);
  });

  it('keeps lines, tabs and letters of every language', () => {
    const text = 'größe\t東京\nnext';
    expect(escapeControls(text)).toBe(text);
  });

  it('keeps our own colours where there are colours, and no other sequence', () => {
    const { paint } = terminalOf({ write: () => {} }, {}, { color: 'always' });
    const text = `${paint('bad', 'error:')} ${paint('quiet', 'x\u001b[8m')}`;

    expect(escapeControls(text, true)).toBe(`${paint('bad', 'error:')} ${paint('quiet', 'x\\u001b[8m')}`);
    expect(escapeControls(text)).not.toContain('\u001b');
  });

  it('is read back unchanged from JSON', () => {
    const name = 'a\u009bb\u202ec';
    expect(JSON.parse(escapeControls(JSON.stringify({ name })))).toEqual({ name });
  });
});
