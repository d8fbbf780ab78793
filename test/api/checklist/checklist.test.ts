import { describe, expect, it } from 'vitest';
import { admit } from '../../../shared/api/admission/admit.ts';
import { CUSTOM_KINDS } from '../../../shared/api/custom-resources/crds.ts';
import type { CustomKind } from '../../../shared/api/schema/custom-kind.ts';
import type { ManifestValidation } from '../../../shared/api/validate/manifest-validation.ts';
import { validateManifests } from '../../../shared/api/validate/validate-manifests.ts';
import { DEFAULT_GATES } from '../../../shared/model/settings.ts';
import { documents } from '../support/read-text.ts';
import type { Fields } from './builders.ts';
import { CHECKLIST, type ChecklistRow } from './checklist.ts';

const GATES = {
  ...DEFAULT_GATES,
  StaticCapacity: true,
  NodeOverlay: true,
  CapacityBuffer: true,
};

function validate({ object, beside, gates = [] }: ChecklistRow): ManifestValidation | undefined {
  const text = documents(object, ...(beside ? [beside] : []));
  const on = Object.fromEntries(gates.map((gate) => [gate, true]));
  const settings = { kubernetesMinor: 36, gates: { ...GATES, ...on } };
  return validateManifests([{ file: 'test.yaml', text }], settings)[0];
}

const rulesOf = (judged: ManifestValidation | undefined): readonly string[] => [
  ...new Set(judged?.problems.map(({ rule }) => rule)),
];

const kindOf = (object: Fields): CustomKind => {
  const kind = CUSTOM_KINDS.find((one) => one.kind === object.kind);
  if (!kind) throw new Error(`no kind ${object.kind}`);
  return kind;
};

/** An update is validated by the same function as a manifest, together with the stored object. */
function changeVerdict({ object, old = {} }: ChecklistRow) {
  const stored = admit(kindOf(old), old);
  if (stored.outcome === 'refused') throw new Error('what is stored is refused');
  const changed = admit(kindOf(object), object, stored.object);
  return {
    verdict: changed.outcome,
    rules: changed.outcome === 'refused' ? changed.objections.map(({ rule }) => rule) : [],
  };
}

describe('the validation of a manifest', () => {
  it.each(CHECKLIST.filter(({ old }) => !old))('ends for row $row with $verdict $rules', (row) => {
    const judged = validate(row);

    expect({ verdict: judged?.verdict, rules: rulesOf(judged) }).toEqual({
      verdict: row.verdict,
      rules: row.rules,
    });
    const stage = row.verdict === 'refused' ? 'admission' : 'runtime';
    expect(judged?.problems.every((problem) => problem.stage === stage)).toBe(true);
  });

  it.each(CHECKLIST.filter(({ old }) => old))('ends for the update of row $row with $verdict $rules', (row) => {
    expect(changeVerdict(row)).toEqual({ verdict: row.verdict, rules: row.rules });
  });

  it('covers every row from 1 to 172', () => {
    const numbers = CHECKLIST.map(({ row }) => Number.parseInt(row, 10));
    const rows = new Set(numbers.filter((row) => !Number.isNaN(row)));

    expect([...rows]).toEqual(Array.from({ length: 172 }, (_, index) => index + 1));
  });
});
