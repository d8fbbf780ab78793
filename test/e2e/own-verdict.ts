import { admit } from '../../shared/api/admission/admit.ts';
import { CUSTOM_KINDS } from '../../shared/api/custom-resources/crds.ts';
import { apiVersionOf, type CustomKind } from '../../shared/api/schema/custom-kind.ts';
import { serverPath, type Verdict } from '../api/checklist/verdict-case.ts';
import type { Question } from './api-server-questions.ts';

/** The kind of ours that an object says it is. */
export const kindOf = (object: Question['object']): CustomKind | undefined =>
  CUSTOM_KINDS.find(
    (kind) => kind.kind === object.kind && apiVersionOf(kind) === object.apiVersion,
  );

/** What `mortise validate` would say; absent of a status, for manifests have none. */
export function ownVerdict({ object, old, subresource }: Question): Verdict | undefined {
  const kind = kindOf(object);
  if (!kind || subresource) return undefined;
  const stored = old && admit(kind, old);
  if (stored?.outcome === 'refused') return undefined;
  const admission = admit(kind, object, stored?.object);
  if (admission.outcome === 'accepted') {
    return { verdict: 'accepted', causes: [], defaulted: admission.object };
  }
  const causes = admission.objections.map(({ path, cause }) => ({
    field: serverPath(path),
    reason: cause,
  }));
  return { verdict: 'rejected', causes };
}
