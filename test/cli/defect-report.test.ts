import { readFileSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { defectOf } from '../../cli/errors.ts';

it('writes the report of a defect where other users of the machine can neither read nor replace it', () => {
  const { problems } = defectOf(new TypeError('no such thing'), ['plan', '--cluster', 'shop']);
  const path = /report it with (\S+)$/.exec(problems[0]?.what ?? '')?.[1] ?? '';

  expect(readFileSync(path, 'utf8')).toMatch(
    /^mortise .*\ncalled: mortise plan --cluster shop\nTypeError: no such thing\n/,
  );
  expect(statSync(path).mode & 0o077).toBe(0);
  expect(statSync(dirname(path)).mode & 0o077).toBe(0);
  rmSync(dirname(path), { recursive: true });
});
