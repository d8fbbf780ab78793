import * as z from 'zod';
import { CUSTOM_KINDS } from '../../shared/api/objects/kinds.ts';
import { apiVersionOf, type CustomKind } from '../../shared/api/schema/custom-kind.ts';
import { CHECKLIST } from '../api/checklist.ts';
import { expectedOf, type Verdict, verdictCases } from '../api/verdict-case.ts';
import { type Answer, type AskServer, kubernetesClient } from './lab/kubernetes-client.ts';

/** Verdicts of the API server that differ from those that `mortise validate` is tested against. */
export interface VerdictReport {
  readonly asked: number;
  /** `row 8a: expected refused, got accepted`. */
  readonly differing: readonly string[];
}

/**
 * Asks a real API server, on which our CRDs are established, about every row of the checklist and
 * every recorded case, one after the other.
 *
 * @param kubeconfig - path of a kubeconfig of the lab
 */
export async function compareVerdicts(kubeconfig: string): Promise<VerdictReport> {
  const ask = kubernetesClient(kubeconfig);
  const differing: string[] = [];
  const questions = [...checklistQuestions(), ...recordedQuestions()];
  for (const { name, question, expected } of questions) {
    const { verdict } = await askApiServer(ask, question);
    if (verdict !== expected) differing.push(`${name}: expected ${expected}, got ${verdict}`);
  }
  return { asked: questions.length, differing };
}

interface Asked {
  readonly name: string;
  readonly question: Question;
  readonly expected: Verdict['verdict'];
}

const checklistQuestions = (): readonly Asked[] =>
  CHECKLIST.map(({ row, verdict, rules: _, ...question }) => ({
    name: `row ${row}`,
    question,
    expected: verdict === 'refused' ? 'rejected' : 'accepted',
  }));

/** Without texts that only kubectl reads: the API server is sent JSON. */
const recordedQuestions = (): readonly Asked[] =>
  verdictCases().flatMap((one) => {
    const object = one.new ?? one.object;
    if (!object) return [];
    const { old, subresource } = one;
    const question = { object, ...(old && { old }), ...(subresource && { subresource }) };
    return [{ name: one.name, question, expected: expectedOf(one).verdict }];
  });

type KubeObject = Readonly<Record<string, unknown>>;

/** What is to be judged: a creation, or a change of what is stored. */
interface Question {
  readonly object: KubeObject;
  readonly old?: KubeObject;
  readonly subresource?: 'status';
}

/** The verdict of a real API server with our CRDs, asked for a dry run with strict fields. */
async function askApiServer(ask: AskServer, question: Question): Promise<Verdict> {
  const { object, old, subresource } = question;
  const kind = kindOf(object);
  if (!kind) return refusal('apiVersion', 'NotServed');
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

const kindOf = (object: KubeObject): CustomKind | undefined =>
  CUSTOM_KINDS.find(
    (kind) => kind.kind === object.kind && apiVersionOf(kind) === object.apiVersion,
  );

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

const refusal = (field: string, reason: string): Verdict => ({
  verdict: 'rejected',
  causes: [{ field, reason }],
});

function verdictOf({ status, body }: Answer): Verdict {
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
  if (status !== 422) return refusal('', 'BadRequest');
  return { verdict: 'rejected', causes: details.causes ?? [] };
}
