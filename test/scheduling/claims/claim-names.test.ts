import { describe, expect, it } from 'vitest';
import { createClaimNamer } from '../../../shared/scheduling/claims/planned-claims.ts';

describe('claim names', () => {
  it('are equal for equal decisions', () => {
    const [first, second] = [createClaimNamer('d-1', []), createClaimNamer('d-1', [])];
    expect(first('general', 3)).toBe(second('general', 3));
    expect(first('general', 3)).toMatch(/^general-[a-z0-9]{5}$/);
  });

  it('differ within a decision of any size', () => {
    const nameOf = createClaimNamer('d-1', []);
    const names = Array.from({ length: 20_000 }, (_, ordinal) => nameOf('general', ordinal));
    expect(new Set(names).size).toBe(20_000);
  });

  it('differ from the names of existing claims', () => {
    const taken = createClaimNamer('d-1', [])('general', 0);
    expect(createClaimNamer('d-1', [taken])('general', 0)).not.toBe(taken);
  });
});
