import { describe, expect, it } from 'vitest';
import { VERSION } from '../../../cli/version.ts';
import { mortise } from '../call.ts';

describe('the version', () => {
  it.each(['--version', '-V'])('is printed alone by %s, for scripts', async (flag) => {
    expect(await mortise([flag])).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
  });
});
