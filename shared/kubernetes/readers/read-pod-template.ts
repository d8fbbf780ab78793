import * as z from 'zod';
import { podSpecSchema, readPodTemplate } from '../../api/builtin-resources/pod-template.ts';
import { readWithSchema } from '../../api/builtin-resources/read-with-schema.ts';
import type { ParseResult } from '../../api/finding.ts';
import { type Labels, pickReadAnnotations } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { PodSpec, PodTemplate } from '../../model/pods/pod.ts';

/** Reads pod templates; equal templates share one object. */
export interface PodTemplateReader {
  read(written: WrittenPod): ParseResult<PodTemplate>;
  /** Returns the one object for all equal specs. */
  share(spec: PodSpec): PodSpec;
}

interface WrittenPod {
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly spec: Readonly<Record<string, unknown>>;
  /** True for a pod of a DaemonSet, which is pinned to its node by name. */
  readonly isDaemon: boolean;
}

export function createPodTemplateReader(): PodTemplateReader {
  const parsed = createInterner<ParseResult<PodSpec>>();
  const specs = createInterner<PodSpec>();
  const labelSets = createInterner<Labels>();

  const share = (spec: PodSpec): PodSpec => specs.share(JSON.stringify(spec), () => spec);
  const shareLabels = (labels: Labels): Labels => labelSets.share(JSON.stringify(labels), () => labels);

  function readSpec({ spec, labels, isDaemon }: WrittenPod): ParseResult<PodSpec> {
    const fields = pickSchedulingFields(spec, isDaemon);
    // Affinity terms may refer to the pod's own labels.
    const key = JSON.stringify(fields.affinity === undefined ? fields : [fields, labels]);
    return parsed.share(key, () => {
      const reading = readWithSchema(podSpecSchema, fields);
      if (reading.outcome === 'refused') {
        return {
          outcome: 'refused',
          findings: reading.findings.map((one) => ({ ...one, path: ['spec', ...one.path] })),
        };
      }
      // A stored pod has its priority as a number: admission resolved the class.
      const { priority = 0, priorityClassName } = reading.value;
      const template = readPodTemplate(
        { metadata: { labels: { ...labels } }, spec: reading.value },
        { value: priority, ...(priorityClassName && { className: priorityClassName }) },
      );
      return { outcome: 'read', value: share(template.spec) };
    });
  }

  return {
    share,
    read(written) {
      const spec = readSpec(written);
      if (spec.outcome === 'refused') return spec;
      return {
        outcome: 'read',
        value: {
          labels: shareLabels(written.labels),
          annotations: shareLabels(pickReadAnnotations(written.annotations)),
          spec: spec.value,
        },
      };
    },
  };
}

const SPEC_FIELDS = [
  'resources',
  'overhead',
  'nodeSelector',
  'affinity',
  'tolerations',
  'topologySpreadConstraints',
  'schedulingGates',
  'resourceClaims',
  'hostNetwork',
  'priority',
  'priorityClassName',
  'terminationGracePeriodSeconds',
] as const;
const CONTAINER_FIELDS = ['resources', 'restartPolicy', 'ports'] as const;

/**
 * Picks the unparsed fields that distinguish templates: comparing them as text is cheaper than
 * validating a thousand equal pods.
 */
function pickSchedulingFields(spec: Readonly<Record<string, unknown>>, isDaemon: boolean): Record<string, unknown> {
  const fields = pick(spec, SPEC_FIELDS);
  return {
    ...fields,
    ...(isDaemon && fields.affinity !== undefined && { affinity: withoutNodeName(fields.affinity) }),
    ...pickContainerFields(spec, 'containers'),
    ...pickContainerFields(spec, 'initContainers'),
    ...pickVolumeClaims(spec.volumes),
  };
}

const pick = (from: object, fields: readonly string[]): Record<string, unknown> => {
  const picked: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(from)) {
    if (fields.includes(field) && value !== null) picked[field] = value;
  }
  return picked;
};

const pickContainerFields = (spec: Readonly<Record<string, unknown>>, field: string): object => {
  const containers = spec[field];
  if (!Array.isArray(containers)) return containers === undefined ? {} : { [field]: containers };
  return {
    [field]: containers.map((one: unknown) =>
      typeof one === 'object' && one !== null ? pick(one, CONTAINER_FIELDS) : one,
    ),
  };
};

const volumeSchema = z.union([
  z.object({ persistentVolumeClaim: z.object({ claimName: z.string() }) }),
  z.object({
    name: z.string(),
    ephemeral: z.object({
      volumeClaimTemplate: z.object({
        spec: z.object({ storageClassName: z.string().optional() }),
      }),
    }),
  }),
]);

/** Only volume claims are kept: every pod has a token volume of a different name. */
const pickVolumeClaims = (volumes: unknown): object => {
  if (!Array.isArray(volumes)) return {};
  const claims = volumes.flatMap((volume: unknown) => {
    const parsed = volumeSchema.safeParse(volume);
    return parsed.success ? [parsed.data] : [];
  });
  return claims.length > 0 ? { volumes: claims } : {};
};

const affinitySchema = z.looseObject({
  nodeAffinity: z
    .looseObject({
      requiredDuringSchedulingIgnoredDuringExecution: z
        .looseObject({ nodeSelectorTerms: z.array(z.looseObject({})) })
        .optional(),
    })
    .optional(),
});

/**
 * Removes the node name that the DaemonSet controller set: no decision moves such a pod, and with
 * the name every node would have its own template.
 */
function withoutNodeName(affinity: unknown): unknown {
  const parsed = affinitySchema.safeParse(affinity);
  if (!parsed.success) return affinity;
  const { nodeAffinity, ...others } = parsed.data;
  const required = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!required) return affinity;
  const terms = required.nodeSelectorTerms
    .map(({ matchFields: _, ...term }) => term)
    .filter((term) => Object.keys(term).length > 0);
  const { requiredDuringSchedulingIgnoredDuringExecution: _, ...preferences } = nodeAffinity ?? {};
  return {
    ...others,
    nodeAffinity: {
      ...preferences,
      ...(terms.length > 0 && { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } }),
    },
  };
}

/** More than any cluster has of one kind of value at a time. */
const MAX_VALUES = 50_000;

/**
 * Returns one object for all equal values, so that 150,000 pods share a few hundred specs and
 * decisions compute results once per spec.
 */
interface Interner<T> {
  /** The value that was first stored under `key`, otherwise the result of `make`. */
  share(key: string, make: () => T): T;
}

function createInterner<T>(): Interner<T> {
  const values = new Map<string, T>();
  return {
    share(key, make) {
      return getOrCreate(values, key, () => {
        // Clearing costs only duplicates.
        if (values.size >= MAX_VALUES) values.clear();
        return make();
      });
    },
  };
}
