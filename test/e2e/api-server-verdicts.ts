import * as z from 'zod';
import { CUSTOM_KINDS } from '../../shared/api/objects/kinds.ts';
import { apiVersionOf, type CustomKind } from '../../shared/api/schema/custom-kind.ts';
import type { Verdict } from '../api/verdict-case.ts';
import type { Answer, AskServer } from './lab/kubernetes-client.ts';

type KubeObject = Readonly<Record<string, unknown>>;

/** What is to be judged: a creation, or a change of what is stored. */
export interface Question {
  readonly object: KubeObject;
  readonly old?: KubeObject;
  readonly subresource?: 'status';
}

/** The verdict of a real API server with our CRDs, asked for a dry run with strict fields. */
export async function askApiServer(ask: AskServer, question: Question): Promise<Verdict> {
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
