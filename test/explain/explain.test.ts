import { describe, expect, it } from 'vitest';
import { explainIn, linesOf } from './explain-case.ts';
import { NODE_CASES } from './node-cases.ts';
import { POD_CASES } from './pod-cases.ts';

describe('an explanation', () => {
  it.each([...POD_CASES, ...NODE_CASES])('gives verdict, evidence and first fix: $title', (one) => {
    const answer = explainIn(one.snapshot, one.subject);
    const lines = answer && linesOf(answer);

    expect(lines).toMatchObject({ outcome: one.outcome, reasons: one.reasons });
    expect(lines?.verdict).toContain(one.verdict);
    expect(lines?.evidence.join('\n')).toContain(one.evidence);
    expect(lines?.fix?.replace(/ \(\+\$.*\)$/, '')).toBe(one.fix);
    if (one.patch !== undefined) expect(lines?.patch).toBe(one.patch);
  });

  it('is the same for the same decisions', () => {
    for (const { snapshot, subject } of [...POD_CASES, ...NODE_CASES]) {
      const copy: typeof snapshot = structuredClone(snapshot);
      expect(explainIn(copy, subject)).toEqual(explainIn(snapshot, subject));
    }
  });
});
