import { describe, expect, it } from 'vitest';
import type { SpecReport } from './ginkgo-report.ts';
import { findKnownSpec, isBad, judgeSpec, renderTable } from './judge.ts';
import type { KnownSpec } from './known-specs.ts';

const HASH: KnownSpec = { suite: 'regression', spec: /CRD Hash/, reason: 'the hash is our own' };

const aReport = (more: Partial<SpecReport> = {}): SpecReport => ({
  name: 'Integration CRD Hash should have NodePool hash',
  state: 'passed',
  seconds: 3,
  ...more,
});

describe('the judgement of a spec', () => {
  it('accepts the failure of a spec that differs by design, and gives its reason', () => {
    const judged = judgeSpec(aReport({ state: 'failed', message: 'timed out' }), HASH);

    expect(judged).toEqual({
      name: 'Integration CRD Hash should have NodePool hash',
      result: 'by design',
      seconds: 3,
      reason: 'the hash is our own',
    });
    expect(isBad(judged)).toBe(false);
  });

  it('rejects a failure that is not listed', () => {
    const judged = judgeSpec(aReport({ state: 'failed', message: 'timed out' }), undefined);

    expect(judged).toMatchObject({ result: 'failed', reason: 'timed out' });
    expect(isBad(judged)).toBe(true);
  });

  it('rejects a listed spec that passes, so that the list does not outlive its reasons', () => {
    const judged = judgeSpec(aReport(), HASH);

    expect(judged.result).toBe('unexpected pass');
    expect(isBad(judged)).toBe(true);
  });

  it('accepts either result of a spec that may pass', () => {
    const either: KnownSpec = { ...HASH, mayPass: true };

    expect(judgeSpec(aReport(), either)).toMatchObject({ result: 'passed' });
    expect(judgeSpec(aReport({ state: 'failed' }), either)).toMatchObject({ result: 'by design' });
  });

  it('reports why a spec skipped itself', () => {
    const judged = judgeSpec(aReport({ state: 'skipped', message: 'needs K8s 1.28' }), undefined);

    expect(judged).toMatchObject({ result: 'not run', reason: 'needs K8s 1.28' });
    expect(isBad(judged)).toBe(false);
  });
});

describe('the list of known specs', () => {
  const { name } = aReport();

  it('finds a spec by its suite and its name', () => {
    expect(findKnownSpec([HASH], { suite: 'regression', name, runtime: 'functions' })).toBe(HASH);
    expect(findKnownSpec([HASH], { suite: 'drift', name, runtime: 'functions' })).toBeUndefined();
  });

  it('applies to one runtime if it names one', () => {
    const list = [{ ...HASH, runtime: 'functions' as const }];

    expect(findKnownSpec(list, { suite: 'regression', name, runtime: 'controller' })).toBe(undefined);
  });
});

describe('the table of a suite', () => {
  it('counts the results and escapes cells', () => {
    const table = renderTable('regression', [
      { name: 'a spec', result: 'passed', seconds: 3 },
      { name: 'a | b', result: 'failed', seconds: 60, reason: 'timed out' },
    ]);

    expect(table.split('\n')).toEqual([
      '### regression: 1 passed, 1 failed',
      '',
      '| Spec | Result | s | Reason |',
      '| --- | --- | ---: | --- |',
      '| a spec | passed | 3 |  |',
      '| a \\| b | failed | 60 | timed out |',
      '',
    ]);
  });
});
