import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { CustomKind } from '../../shared/api/schema/custom-kind.ts';
import { isSamePlace, type Verdict } from '../api/checklist/verdict-case.ts';
import { type Question, questions } from './api-server-questions.ts';
import { type Answer, type AskServer, kubernetesClient } from './lab/kubernetes-client.ts';
import { kindOf, ownVerdict } from './own-verdict.ts';

/** Verdicts of the API server that differ from those that `mortise validate` gives. */
export interface VerdictReport {
  readonly asked: number;
  readonly accepted: number;
  /** `row 8a: expected refused, got accepted`. */
  readonly differing: readonly string[];
}

/**
 * Asks a real API server, on which our CRDs are established, about every question, one after the
 * other, and compares verdict, place of a refusal, and what is stored, defaults included.
 *
 * @param kubeconfig - path of a kubeconfig of the lab
 */
export async function compareVerdicts(kubeconfig: string): Promise<VerdictReport> {
  const ask = kubernetesClient(kubeconfig);
  const differing: string[] = [];
  let accepted = 0;
  const all = questions();
  for (const question of all) {
    const server = await askApiServer(ask, question);
    if (server.verdict === 'accepted') accepted += 1;
    const why = differenceOf(question, server);
    if (why !== undefined) differing.push(`${question.name}: ${why}`);
  }
  return { asked: all.length, accepted, differing };
}

function differenceOf(question: Question, server: Verdict): string | undefined {
  const own = ownVerdict(question);
  const expected = question.expected ?? own?.verdict;
  if (server.verdict !== expected) return `expected ${expected}, got ${told(server)}`;
  if (!own) return undefined;
  if (own.verdict !== server.verdict) return `validate says ${told(own)}, not ${told(server)}`;
  if (server.verdict === 'accepted') {
    return isDeepStrictEqual(own.defaulted?.spec, server.defaulted?.spec)
      ? undefined
      : `${JSON.stringify(own.defaulted?.spec)} is not what is stored: ${JSON.stringify(server.defaulted?.spec)}`;
  }
  const isPlaced = server.causes.some(({ field }) =>
    own.causes.some((one) => isSamePlace(one.field, field)),
  );
  return isPlaced || server.causes.length === 0
    ? undefined
    : `${told(own)} is told elsewhere than ${told(server)}`;
}

const told = ({ verdict, causes }: Verdict): string =>
  [verdict, ...causes.map(({ field, reason }) => `${reason} ${field}`)].join(', ');

type KubeObject = Readonly<Record<string, unknown>>;

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
