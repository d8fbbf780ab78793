import { describe, expect, it } from 'vitest';
import { listReferenceRules } from '../../../scripts/reference/fields.ts';
import { admit } from '../../../shared/api/admission/admit.ts';
import type { Objection } from '../../../shared/api/admission/wrong-values.ts';
import { CUSTOM_KINDS } from '../../../shared/api/custom-resources/crds.ts';
import { apiVersionOf, type CustomKind } from '../../../shared/api/schema/custom-kind.ts';
import { CHECKLIST } from './checklist.ts';
import { verdictCases } from './verdict-case.ts';

type Fields = Readonly<Record<string, unknown>>;
interface Asked {
  readonly object: Fields;
  readonly old?: Fields | undefined;
}

const ASKED: readonly Asked[] = [
  ...CHECKLIST,
  ...verdictCases().flatMap(({ object, new: changed, old, subresource }) => {
    const requested = changed ?? object;
    return requested && !subresource ? [{ object: requested, old }] : [];
  }),
];

const kindOf = (object: Fields): CustomKind | undefined =>
  CUSTOM_KINDS.find((kind) => kind.kind === object.kind && apiVersionOf(kind) === object.apiVersion);

/** Lists nothing for objects that are accepted, or whose stored object is already refused. */
function objectionsTo({ object, old }: Asked): readonly Objection[] {
  const kind = kindOf(object);
  if (!kind) return [];
  const stored = old && admit(kind, old);
  const before = stored?.outcome === 'accepted' ? stored.object : undefined;
  const admission = admit(kind, object, before);
  return admission.outcome === 'refused' ? admission.objections : [];
}

/** Formats `NodePool NP-05 spec.template.spec.requirements[].values`. */
const BROKEN: readonly string[] = ASKED.flatMap((requested) =>
  objectionsTo(requested).map(({ rule, path }) => `${requested.object.kind} ${rule} ${locationOf(path)}`),
);

function locationOf(path: Objection['path']): string {
  return path
    .map((part) => (typeof part === 'number' ? '[]' : `.${part}`))
    .join('')
    .slice(1);
}

const RULES = CUSTOM_KINDS.flatMap(({ kind, spec }) =>
  listReferenceRules(spec, 'spec').map(({ path, rule: { id, at = '' } }) => `${kind} ${id} ${path}${at}`),
);

describe('the CEL rules', () => {
  it.each([...new Set(RULES)])('have a case that breaks %s', (rule) => {
    // A rule about the keys of a map is reported at the key.
    expect(BROKEN.some((one) => one === rule || one.startsWith(`${rule}.`))).toBe(true);
  });
});
