import { describe, expect, it } from 'vitest';
import { explain } from './explain.ts';
import { CASES } from './explanation-cases.ts';

describe('why a pod is pending', () => {
  it.each(CASES)('$title', (one) => {
    expect(explain(one)).toEqual(one.says);
  });
});
