import * as z from 'zod';
import type { TopologySpreadConstraint } from '../model/pods/pod.ts';

/** Parses YAML or JSON; throws if the text is neither. */
export type ParseText = (text: string) => unknown;

const LABEL_KEY = /^([a-z0-9.-]+\/)?[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/;

const policy = z.enum(['Honor', 'Ignore']);

const constraintSchema = z.strictObject({
  maxSkew: z.int().min(1),
  topologyKey: z.string().regex(LABEL_KEY),
  whenUnsatisfiable: z.enum(['DoNotSchedule', 'ScheduleAnyway']),
  minDomains: z.int().min(1).optional(),
  nodeAffinityPolicy: policy.default('Honor'),
  nodeTaintsPolicy: policy.default('Ignore'),
});

/** The part of a KubeSchedulerConfiguration that sets the default spread constraints. */
const configSchema = z.strictObject({
  podTopologySpread: z.strictObject({ defaultConstraints: z.array(constraintSchema).default([]) }).optional(),
});

type DefaultSpreadReading =
  | { readonly outcome: 'read'; readonly constraints: readonly TopologySpreadConstraint[] }
  | { readonly outcome: 'refused'; readonly why: string };

/** Reads SCHEDULER_CONFIG. An empty text sets nothing. */
export function readDefaultSpread(text: string, parse: ParseText): DefaultSpreadReading {
  if (text.trim() === '') return { outcome: 'read', constraints: [] };
  const { success, data, error } = configSchema.safeParse(parsed(text, parse));
  if (!success) return { outcome: 'refused', why: whyOf(error.issues[0]) };

  const constraints = (data.podTopologySpread?.defaultConstraints ?? []).map(
    ({ topologyKey: key, minDomains, ...same }): TopologySpreadConstraint => ({
      ...same,
      key,
      matchLabelKeys: [],
      ...(minDomains !== undefined && { minDomains }),
    }),
  );
  const kinds = constraints.map(({ key, whenUnsatisfiable }) => `${key} ${whenUnsatisfiable}`);
  const twice = kinds.find((kind, index) => kinds.indexOf(kind) !== index);
  if (twice !== undefined) return { outcome: 'refused', why: `${twice}: may stand there once` };
  return { outcome: 'read', constraints };
}

/** A text that cannot be parsed is reported like an invalid configuration. */
function parsed(text: string, parse: ParseText): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

const whyOf = (issue: z.core.$ZodIssue | undefined): string => {
  const path = issue?.path.join('.') ?? '';
  const keys = issue?.code === 'unrecognized_keys' ? `: unknown ${issue.keys.join(', ')}` : '';
  if (path === '') return `must hold podTopologySpread.defaultConstraints, in YAML or JSON${keys}`;
  return `${path}${keys || `: ${issue?.message ?? 'is not valid'}`}`;
};
