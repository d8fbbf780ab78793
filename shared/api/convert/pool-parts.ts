import { KUBELET_ANNOTATION } from '../keys/annotations.ts';
import { convertMetadata } from './keys.ts';
import { type ReportMessage, valueText } from './message.ts';
import { type Fields, present, toFields, toText } from './written.ts';

/** A NodePool of v1, with the kubelet settings that now belong to its class. */
export interface ConvertedPool {
  readonly pool: Fields;
  readonly className: string;
  readonly kubelet?: Fields;
  /** True if the pool was of v1 already. */
  readonly isCurrent?: boolean;
}

interface PoolParts {
  readonly metadata: unknown;
  readonly className: string;
  readonly disruption: Fields;
  readonly template: Fields;
  readonly nodeSpec: Fields;
  readonly weight?: unknown;
  readonly limits?: unknown;
}

export const buildPool = ({ metadata, className, ...parts }: PoolParts): Fields => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: present(convertMetadata(toFields(metadata))),
  spec: present({
    weight: parts.weight,
    limits: parts.limits,
    disruption: parts.disruption,
    template: present({
      metadata: present(parts.template),
      spec: present(parts.nodeSpec),
    }),
  }),
});

export const refTo = (name: string): Fields => ({
  group: 'karpenter.k8s.aws',
  kind: 'EC2NodeClass',
  name,
});

/** Converts a reference of v1beta1, whose apiVersion contained the group. */
export function groupedRef(ref: Fields): { group: string; kind: string; name: string } {
  const [group = ''] = (toText(ref.apiVersion) ?? toText(ref.group) ?? '').split('/');
  return {
    group: group || 'karpenter.k8s.aws',
    kind: toText(ref.kind) ?? 'EC2NodeClass',
    name: toText(ref.name) ?? '',
  };
}

/** Reads the annotation in which Karpenter 1.0 kept kubelet settings, as JSON. */
export function kubeletOfAnnotation(metadata: Fields, report: ReportMessage): Fields | undefined {
  const text = toText(toFields(metadata.annotations)[KUBELET_ANNOTATION]);
  if (text === undefined) return undefined;
  try {
    const settings = toFields(JSON.parse(text));
    return Object.keys(settings).length > 0 ? settings : undefined;
  } catch {
    report('W-04', `metadata.annotations.${KUBELET_ANNOTATION}`, 'dropped: it is no JSON');
    return undefined;
  }
}

/** Reports each dropped field with its value. */
export const tellDropped = (fields: Fields, path: string, report: ReportMessage): void => {
  for (const [name, value] of Object.entries(fields)) {
    report('W-04', `${path}.${name}`, `dropped, nothing came after it: ${valueText(value)}`);
  }
};
