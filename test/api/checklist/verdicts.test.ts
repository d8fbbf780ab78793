import { describe, expect, it } from 'vitest';
import { type Admission, admit } from '../../../shared/api/admission/admit.ts';
import { CUSTOM_KINDS } from '../../../shared/api/custom-resources/crds.ts';
import { readYaml } from '../../../shared/api/manifests/yaml-documents.ts';
import { apiVersionOf, type CustomKind } from '../../../shared/api/schema/custom-kind.ts';
import { expectedOf, isSamePlace, serverPath, type VerdictCase, verdictCases } from './verdict-case.ts';

type KubeObject = Readonly<Record<string, unknown>>;

const kindOf = (object: KubeObject): CustomKind | undefined =>
  CUSTOM_KINDS.find((kind) => kind.kind === object.kind && apiVersionOf(kind) === object.apiVersion);

/** The input of the case, as kubectl would send it. */
function askedOf({ yaml, new: changed, object }: VerdictCase): KubeObject | undefined {
  if (yaml === undefined) return changed ?? object ?? undefined;
  const [document] = readYaml(yaml).documents;
  return document?.value as KubeObject | undefined;
}

function storedOf({ old }: VerdictCase): KubeObject | undefined {
  const kind = old && kindOf(old);
  const admission = kind && admit(kind, old);
  return admission?.outcome === 'accepted' ? admission.object : undefined;
}

/** Returns `undefined` if the text cannot be read or its kind is not served. */
function judge(one: VerdictCase): Admission | undefined {
  const requested = askedOf(one);
  const kind = requested && kindOf(requested);
  return kind && admit(kind, requested, storedOf(one));
}

/** Updates of the status subresource, which manifests cannot express. */
const CASES = verdictCases().filter(({ subresource }) => subresource === undefined);
const accepted = CASES.filter((one) => expectedOf(one).verdict === 'accepted');
const rejected = CASES.filter((one) => expectedOf(one).verdict === 'rejected');

describe('the verdict of an API server', () => {
  it.each(accepted)('accepts $name ($rule), with defaults', (one) => {
    const { defaulted } = expectedOf(one);

    // Kubernetes itself adds defaults to metadata.
    expect(judge(one)).toMatchObject({ outcome: 'accepted' });
    expect(specOf(judge(one))).toEqual(defaulted?.spec);
  });

  it.each(rejected)('refuses $name ($rule) at the same field', (one) => {
    const verdict = judge(one);
    const fields = verdict?.outcome === 'refused' ? verdict.objections.map(({ path }) => serverPath(path)) : [''];
    const expected = expectedOf(one).causes;

    expect(verdict?.outcome).not.toBe('accepted');
    expect(
      expected.length === 0 || expected.some(({ field }) => fields.some((own) => isSamePlace(own, field))),
      `${fields.join()} against ${expected.map(({ field }) => field).join()}`,
    ).toBe(true);
  });
});

const specOf = (admission: Admission | undefined): unknown =>
  admission?.outcome === 'accepted' ? admission.object.spec : undefined;
