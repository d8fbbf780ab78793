import { withAlphaDefaults } from './alpha-defaults.ts';
import {
  convertAnnotations,
  convertLabels,
  convertMetadata,
  convertRequirements,
  convertTaints,
} from './keys.ts';
import { type Tell, valueText } from './message.ts';
import { type Fields, fieldsOf, othersOf, present, textOf } from './written.ts';

/** A NodePool of v1, with the kubelet settings that belong to its class now. */
export interface ConvertedPool {
  readonly pool: Fields;
  readonly className: string;
  readonly kubelet?: Fields;
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

const poolOf = ({ metadata, className, ...parts }: PoolParts): Fields => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: present(convertMetadata(fieldsOf(metadata))),
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

const refTo = (name: string): Fields => ({
  group: 'karpenter.k8s.aws',
  kind: 'EC2NodeClass',
  name,
});

const PROVISIONER_FIELDS = [
  'labels',
  'annotations',
  'taints',
  'startupTaints',
  'requirements',
  'kubeletConfiguration',
  'providerRef',
  'provider',
  'limits',
  'weight',
  'ttlSecondsUntilExpired',
  'ttlSecondsAfterEmpty',
  'consolidation',
];

/** Provisioner of karpenter.sh/v1alpha5. The class of an inline provider is converted apart. */
export function convertProvisioner(
  { metadata, spec: writtenSpec }: Fields,
  { ignoreDefaults }: { readonly ignoreDefaults: boolean },
  tell: Tell,
): ConvertedPool {
  const spec = fieldsOf(writtenSpec);
  const className = classNameOf(fieldsOf(metadata), spec, tell);
  tellDropped(othersOf(spec, PROVISIONER_FIELDS), 'spec', tell);
  tellDropped(othersOf(fieldsOf(spec.limits), ['resources']), 'spec.limits', tell);
  const { containerRuntime, ...kubelet } = fieldsOf(spec.kubeletConfiguration);
  tellDropped(present({ containerRuntime }), 'spec.kubeletConfiguration', tell);

  const labels = convertLabels(spec.labels, 'spec.labels', tell);
  const requirements = convertRequirements(spec.requirements, 'spec.requirements', tell);
  tell('W-10', 'spec.disruption.budgets', 'the default budget now holds: 10% of the nodes at once');
  const pool = poolOf({
    metadata,
    className,
    weight: spec.weight,
    limits: fieldsOf(spec.limits).resources,
    disruption: alphaDisruption(spec, tell),
    template: { labels, annotations: convertAnnotations(spec.annotations) },
    nodeSpec: {
      expireAfter: alphaExpiry(spec, tell),
      nodeClassRef: refTo(className),
      taints: convertTaints(spec.taints),
      startupTaints: convertTaints(spec.startupTaints),
      requirements: ignoreDefaults ? requirements : withAlphaDefaults(requirements, labels, tell),
    },
  });
  return { pool, className, ...(Object.keys(kubelet).length > 0 ? { kubelet } : {}) };
}

const tellDropped = (fields: Fields, path: string, tell: Tell): void => {
  for (const [name, value] of Object.entries(fields)) {
    tell('W-04', `${path}.${name}`, `dropped, nothing came after it: ${valueText(value)}`);
  }
};

function classNameOf({ name }: Fields, { provider, providerRef }: Fields, tell: Tell): string {
  if (provider !== undefined && providerRef !== undefined) {
    tell('X-04', 'spec', 'both provider and providerRef: which of them is meant?');
  }
  if (provider !== undefined) return textOf(name) ?? '';
  const referred = textOf(fieldsOf(providerRef).name);
  if (referred === undefined)
    tell('X-03', 'spec.providerRef', 'neither provider nor providerRef says how nodes are made');
  return referred ?? '';
}

function alphaExpiry({ ttlSecondsUntilExpired: seconds }: Fields, tell: Tell): string {
  if (typeof seconds === 'number') return `${seconds}s`;
  tell(
    'W-09',
    'spec.ttlSecondsUntilExpired',
    'absent: nodes still never expire (Never), where the new default is 720h',
  );
  return 'Never';
}

function alphaDisruption(
  { consolidation, ttlSecondsAfterEmpty: seconds }: Fields,
  tell: Tell,
): Fields {
  const isConsolidating = fieldsOf(consolidation).enabled === true;
  if (isConsolidating && seconds !== undefined) {
    tell('X-05', 'spec', 'consolidation.enabled and ttlSecondsAfterEmpty exclude each other');
  }
  if (isConsolidating) {
    return { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' };
  }
  if (typeof seconds === 'number') {
    return { consolidationPolicy: 'WhenEmpty', consolidateAfter: `${seconds}s` };
  }
  tell(
    'W-08',
    'spec.consolidation',
    'consolidation stays off (consolidateAfter: Never); take the line out to turn it on',
  );
  return { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: 'Never' };
}

const KUBELET_ANNOTATION = 'compatibility.karpenter.sh/v1beta1-kubelet-conversion';

/** NodePool of v1beta1. */
export function convertBetaPool(
  { metadata, spec: writtenSpec }: Fields,
  tell: Tell,
): ConvertedPool {
  const {
    template: writtenTemplate,
    disruption,
    weight,
    limits,
    ...others
  } = fieldsOf(writtenSpec);
  const template = fieldsOf(writtenTemplate);
  const nodeSpec = fieldsOf(template.spec);
  tellDropped(others, 'spec', tell);
  tellDropped(present({ resources: nodeSpec.resources }), 'spec.template.spec', tell);

  const kubelet = nodeSpec.kubelet ?? kubeletOfAnnotation(fieldsOf(metadata), tell);
  const ref = groupedRef(fieldsOf(nodeSpec.nodeClassRef));
  const { expireAfter, ...when } = fieldsOf(disruption);
  const pool = poolOf({
    metadata,
    className: ref.name,
    weight,
    limits,
    disruption: betaDisruption(when),
    template: {
      labels: convertLabels(
        fieldsOf(template.metadata).labels,
        'spec.template.metadata.labels',
        tell,
      ),
      annotations: convertAnnotations(fieldsOf(template.metadata).annotations),
    },
    nodeSpec: {
      ...othersOf(nodeSpec, ['kubelet', 'resources']),
      expireAfter: expireAfter ?? '720h',
      nodeClassRef: ref,
      taints: convertTaints(nodeSpec.taints),
      startupTaints: convertTaints(nodeSpec.startupTaints),
      requirements: convertRequirements(
        nodeSpec.requirements,
        'spec.template.spec.requirements',
        tell,
      ),
    },
  });
  const settings = fieldsOf(kubelet);
  return {
    pool,
    className: ref.name,
    ...(Object.keys(settings).length > 0 ? { kubelet: settings } : {}),
  };
}

/** What a cluster of 1.0 kept of its kubelet settings, as JSON. */
function kubeletOfAnnotation({ annotations }: Fields, tell: Tell): unknown {
  const text = textOf(fieldsOf(annotations)[KUBELET_ANNOTATION]);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    tell('W-04', `metadata.annotations.${KUBELET_ANNOTATION}`, 'dropped: it is no JSON');
    return undefined;
  }
}

export function groupedRef(ref: Fields): { group: string; kind: string; name: string } {
  const [group = ''] = (textOf(ref.apiVersion) ?? textOf(ref.group) ?? '').split('/');
  return {
    group: group || 'karpenter.k8s.aws',
    kind: textOf(ref.kind) ?? 'EC2NodeClass',
    name: textOf(ref.name) ?? '',
  };
}

function betaDisruption(when: Fields): Fields {
  const { consolidationPolicy = 'WhenUnderutilized', consolidateAfter, ...others } = when;
  if (consolidationPolicy !== 'WhenUnderutilized') return when;
  return {
    consolidationPolicy: 'WhenEmptyOrUnderutilized',
    consolidateAfter: consolidateAfter ?? '0s',
    ...others,
  };
}
