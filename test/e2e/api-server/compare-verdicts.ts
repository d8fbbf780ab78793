import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { admit } from '../../../shared/api/admission/admit.ts';
import { CUSTOM_KINDS } from '../../../shared/api/custom-resources/crds.ts';
import { apiVersionOf, type CustomKind } from '../../../shared/api/schema/custom-kind.ts';
import { type Evaluation, isSamePlace, serverPath } from '../../api/checklist/verdict-case.ts';
import { type Answer, type AskServer, kubernetesClient } from '../lab/kubernetes/kubeconfig-client.ts';
import { type AdmissionCase, listAdmissionCases } from './admission-cases.ts';

/** The cases in which the API server's verdict differs from that of `mortise validate`. */
interface VerdictReport {
  readonly caseCount: number;
  readonly accepted: number;
  /** For example `row 8a: expected refused, got accepted`. */
  readonly differing: readonly string[];
}

/**
 * Sends every case to a real API server with our CRDs, one after the other, and compares the
 * verdict, the field of a rejection, and the stored object with its defaults.
 *
 * @param kubeconfig - path of a kubeconfig of the lab
 */
export async function compareVerdicts(kubeconfig: string): Promise<VerdictReport> {
  const ask = kubernetesClient(kubeconfig);
  const differing: string[] = [];
  let accepted = 0;
  const all = listAdmissionCases();
  for (const admissionCase of all) {
    const server = await askApiServer(ask, admissionCase);
    if (server.verdict === 'accepted') accepted += 1;
    const why = differenceOf(admissionCase, server);
    if (why !== undefined) differing.push(`${admissionCase.name}: ${why}`);
  }
  return { caseCount: all.length, accepted, differing };
}

function differenceOf(admissionCase: AdmissionCase, server: Evaluation): string | undefined {
  const own = validateLocally(admissionCase);
  const expected = admissionCase.expected ?? own?.verdict;
  if (server.verdict !== expected) return `expected ${expected}, got ${formatVerdict(server)}`;
  if (!own) return undefined;
  if (own.verdict !== server.verdict) return `validate says ${formatVerdict(own)}, not ${formatVerdict(server)}`;
  if (server.verdict === 'accepted') {
    return isDeepStrictEqual(own.defaulted?.spec, server.defaulted?.spec)
      ? undefined
      : `${JSON.stringify(own.defaulted?.spec)} is not what is stored: ${JSON.stringify(server.defaulted?.spec)}`;
  }
  const isPlaced = server.causes.some(({ field }) => own.causes.some((one) => isSamePlace(one.field, field)));
  return isPlaced || server.causes.length === 0
    ? undefined
    : `${formatVerdict(own)} is told elsewhere than ${formatVerdict(server)}`;
}

const formatVerdict = ({ verdict, causes }: Evaluation): string =>
  [verdict, ...causes.map(({ field, reason }) => `${reason} ${field}`)].join(', ');

type KubeObject = Readonly<Record<string, unknown>>;

/** Sends a dry run with strict field validation to the API server and returns its verdict. */
async function askApiServer(ask: AskServer, admissionCase: AdmissionCase): Promise<Evaluation> {
  const { object, old, subresource } = admissionCase;
  const kind = kindOf(object);
  if (!kind) return toRejection('apiVersion', 'NotServed');
  if (!old) return verdictOf(await ask('POST', `${pathOf(kind, object)}?${DRY_RUN}`, object));

  const stored = await store(ask, kind, old);
  const path = `${pathOf(kind, old)}/${stored.metadata.name}`;
  try {
    const changed = {
      ...object,
      metadata: { ...metadataOf(object), resourceVersion: stored.metadata.resourceVersion },
    };
    const target = subresource ? `${path}/${subresource}` : path;
    return verdictOf(await ask('PUT', `${target}?${DRY_RUN}`, changed));
  } finally {
    await ask('DELETE', path);
  }
}

const DRY_RUN = 'dryRun=All&fieldValidation=Strict';

const metadataSchema = z.looseObject({ namespace: z.string().optional() });
const metadataOf = (object: KubeObject) => metadataSchema.safeParse(object.metadata).data ?? {};

function pathOf({ group, version, plural, scope }: CustomKind, object: KubeObject): string {
  const { namespace = 'default' } = metadataOf(object);
  const middle = scope === 'Namespaced' ? `/namespaces/${namespace}` : '';
  return `/apis/${group}/${version}${middle}/${plural}`;
}

const storedSchema = z.object({
  metadata: z.object({ name: z.string(), resourceVersion: z.string() }),
});

async function store(ask: AskServer, kind: CustomKind, object: KubeObject) {
  const { status, body } = await ask('POST', pathOf(kind, object), object);
  if (status === 201) return storedSchema.parse(body);
  throw new Error(`cannot store what is to be changed: ${status} ${JSON.stringify(body)}`);
}

const statusSchema = z.object({
  message: z.string().default(''),
  details: z
    .object({
      causes: z.array(z.object({ field: z.string().default(''), reason: z.string().default('') })),
    })
    .partial()
    .default({}),
});

const toRejection = (field: string, reason: string): Evaluation => ({
  verdict: 'rejected',
  causes: [{ field, reason }],
});

function verdictOf({ status, body }: Answer): Evaluation {
  if (status === 200 || status === 201) {
    return {
      verdict: 'accepted',
      causes: [],
      defaulted: z.record(z.string(), z.unknown()).parse(body),
    };
  }
  const { message, details } = statusSchema.parse(body);
  const unknown = [...message.matchAll(/unknown field "([^"]+)"/g)];
  if (unknown.length > 0) {
    return {
      verdict: 'rejected',
      causes: unknown.map(([, field = '']) => ({ field, reason: 'UnknownField' })),
    };
  }
  if (status !== 422) return toRejection('', 'BadRequest');
  return { verdict: 'rejected', causes: details.causes ?? [] };
}

/** Finds our kind by the object's `kind` and `apiVersion`. */
const kindOf = (object: AdmissionCase['object']): CustomKind | undefined =>
  CUSTOM_KINDS.find((kind) => kind.kind === object.kind && apiVersionOf(kind) === object.apiVersion);

/**
 * Returns the verdict of `mortise validate`; undefined for a status, because manifests have none.
 */
function validateLocally({ object, old, subresource }: AdmissionCase): Evaluation | undefined {
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
