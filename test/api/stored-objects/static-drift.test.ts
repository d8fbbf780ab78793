import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  HASH_VERSION,
  isRequirementsDrift,
  isStaticDrift,
  migrateHash,
  type StaticHash,
} from '../../../shared/api/stored-objects/static-drift.ts';

const marks = (hash: string, version = HASH_VERSION) => ({ hash, version });
const anyMarks: fc.Arbitrary<StaticHash> = fc.record(
  { hash: fc.constantFrom('a', 'b'), version: fc.constantFrom('v3', 's1') },
  { requiredKeys: [] },
);

describe('static drift', () => {
  it.each<[string, StaticHash, StaticHash, boolean]>([
    ['equal hashes', marks('a'), marks('a'), false],
    ['other hashes of one version (row 174)', marks('a'), marks('b'), true],
    ['a claim of a foreign version (row 181)', marks('a'), marks('b', 'v3'), false],
    ['a claim without marks', marks('a'), {}, false],
    ['a parent without marks', {}, marks('a'), false],
    ['hashes of no version', { hash: 'a' }, { hash: 'b' }, false],
  ])('is decided with %s', (_, parent, child, drifts) => {
    expect(isStaticDrift(parent, child)).toBe(drifts);
  });

  it('does not follow from another hash version: the claim gets the hash of its parent', () => {
    expect(migrateHash(marks('a'), marks('b', 'v3'), { isDrifted: false })).toEqual(marks('a'));
  });

  it('persists for a claim that has drifted', () => {
    expect(migrateHash(marks('a'), marks('b', 'v3'), { isDrifted: true })).toEqual(marks('b'));
  });

  it('never follows from the migration, which happens once', () => {
    fc.assert(
      fc.property(fc.constantFrom('a', 'b'), anyMarks, fc.boolean(), (hash, child, isDrifted) => {
        const parent = marks(hash);
        const once = migrateHash(parent, child, { isDrifted });

        expect(migrateHash(parent, once, { isDrifted })).toEqual(once);
        if (child.version !== HASH_VERSION && !isDrifted) {
          expect(isStaticDrift(parent, once)).toBe(false);
        }
      }),
    );
  });
});

describe('requirements drift', () => {
  const labels = { 'kubernetes.io/arch': 'arm64', team: 'a' };

  it.each<[string, Parameters<typeof isRequirementsDrift>[0], boolean]>([
    ['none', [], false],
    ['wider ones', [{ key: 'kubernetes.io/arch', operator: 'Exists' }], false],
    ['narrower ones that hold the claim', [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }], false],
    [
      'narrower ones that leave it out (row 176)',
      [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
      true,
    ],
    ['a label that it may not have', [{ key: 'team', operator: 'DoesNotExist' }], true],
  ])('is decided with %s', (_, requirements, drifts) => {
    expect(isRequirementsDrift(requirements, labels)).toBe(drifts);
  });
});
