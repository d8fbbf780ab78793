import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appendResult, readResults, type StoredResult } from './stored-results.ts';

const RUN = { suite: 'regression', runtime: 'controller', timeout: '15m' } as const;

const aResult = (more: Partial<StoredResult> = {}): StoredResult => ({
  ...RUN,
  commit: 'abc1234',
  name: 'a spec',
  result: 'passed',
  seconds: 3,
  ...more,
});

describe('stored results', () => {
  let folder = '';
  let file = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-results-'));
    file = join(folder, 'results.jsonl');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('are empty before the first spec ends', () => {
    expect(readResults(file, RUN).size).toBe(0);
  });

  it('keep the last result of each spec of the same suite, runtime and timeout', () => {
    appendResult(file, aResult({ result: 'by design', reason: 'own hash' }));
    appendResult(file, aResult());
    appendResult(file, aResult({ name: 'slow', runtime: 'functions' }));
    appendResult(file, aResult({ name: 'short', timeout: '3m' }));
    appendResult(file, aResult({ name: 'other', suite: 'drift' }));

    expect([...readResults(file, RUN).values()]).toEqual([{ name: 'a spec', result: 'passed', seconds: 3 }]);
  });

  it('leave out a spec that failed last, so that it runs again', () => {
    appendResult(file, aResult());
    appendResult(file, aResult({ result: 'failed', reason: 'timed out' }));

    expect(readResults(file, RUN).size).toBe(0);
  });

  it('name the file and the line that is not a result', () => {
    appendResult(file, aResult());
    writeFileSync(file, '\n{"suite":1}\n', { flag: 'a' });

    expect(() => readResults(file, RUN)).toThrow(`${file}, line 3: not the result of a spec`);
  });
});
