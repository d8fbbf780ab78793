import { ARCH_LABEL, CAPACITY_TYPE_LABEL, INSTANCE_TYPE_LABEL, OS_LABEL } from '../../model/labels.ts';
import { convertAnnotations, convertLabels, convertRequirements, convertTaints } from './keys.ts';
import type { ReportMessage } from './message.ts';
import { buildPool, type ConvertedPool, refTo, tellDropped } from './pool-parts.ts';
import { type Fields, omitFields, present, toFields, toText } from './written.ts';

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

/**
 * Converts a Provisioner of karpenter.sh/v1alpha5. The class of an inline provider is converted
 * separately.
 */
export function convertProvisioner(
  { metadata, spec: writtenSpec }: Fields,
  { ignoreDefaults }: { readonly ignoreDefaults: boolean },
  report: ReportMessage,
): ConvertedPool {
  const spec = toFields(writtenSpec);
  const className = classNameOf(toFields(metadata), spec, report);
  tellDropped(omitFields(spec, PROVISIONER_FIELDS), 'spec', report);
  tellDropped(omitFields(toFields(spec.limits), ['resources']), 'spec.limits', report);
  const { containerRuntime, ...kubelet } = toFields(spec.kubeletConfiguration);
  tellDropped(present({ containerRuntime }), 'spec.kubeletConfiguration', report);

  const labels = convertLabels(spec.labels, 'spec.labels', report);
  const requirements = convertRequirements(spec.requirements, 'spec.requirements', report);
  report('W-10', 'spec.disruption.budgets', 'the default budget now holds: 10% of the nodes at once');
  const pool = buildPool({
    metadata,
    className,
    weight: spec.weight,
    limits: toFields(spec.limits).resources,
    disruption: alphaDisruption(spec, report),
    template: { labels, annotations: convertAnnotations(spec.annotations) },
    nodeSpec: {
      expireAfter: alphaExpiry(spec, report),
      nodeClassRef: refTo(className),
      taints: convertTaints(spec.taints),
      startupTaints: convertTaints(spec.startupTaints),
      requirements: ignoreDefaults ? requirements : withAlphaDefaults(requirements, labels, report),
    },
  });
  return { pool, className, ...(Object.keys(kubelet).length > 0 && { kubelet }) };
}

function classNameOf({ name }: Fields, { provider, providerRef }: Fields, report: ReportMessage): string {
  if (provider !== undefined && providerRef !== undefined) {
    report('X-04', 'spec', 'both provider and providerRef: which of them is meant?');
  }
  if (provider !== undefined) return toText(name) ?? '';
  const referred = toText(toFields(providerRef).name);
  if (referred === undefined)
    report('X-03', 'spec.providerRef', 'neither provider nor providerRef says how nodes are made');
  return referred ?? '';
}

function alphaExpiry({ ttlSecondsUntilExpired: seconds }: Fields, report: ReportMessage): string {
  if (typeof seconds === 'number') return `${seconds}s`;
  report(
    'W-09',
    'spec.ttlSecondsUntilExpired',
    'absent: nodes still never expire (Never), where the new default is 720h',
  );
  return 'Never';
}

function alphaDisruption({ consolidation, ttlSecondsAfterEmpty: seconds }: Fields, report: ReportMessage): Fields {
  const isConsolidating = toFields(consolidation).enabled === true;
  if (isConsolidating && seconds !== undefined) {
    report('X-05', 'spec', 'consolidation.enabled and ttlSecondsAfterEmpty exclude each other: keep one of them');
  }
  if (isConsolidating) {
    return { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' };
  }
  if (typeof seconds === 'number') {
    return { consolidationPolicy: 'WhenEmpty', consolidateAfter: `${seconds}s` };
  }
  report(
    'W-08',
    'spec.consolidation',
    'consolidation stays off (consolidateAfter: Never); take the line out to turn it on',
  );
  return { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: 'Never' };
}

const CATEGORY = 'karpenter.k8s.aws/instance-category';
const GENERATION = 'karpenter.k8s.aws/instance-generation';
const SIZING = [INSTANCE_TYPE_LABEL, 'karpenter.k8s.aws/instance-family', CATEGORY, GENERATION];

const USUAL: Readonly<Record<string, string>> = {
  [OS_LABEL]: 'linux',
  [ARCH_LABEL]: 'amd64',
  [CAPACITY_TYPE_LABEL]: 'on-demand',
};

/** The default requirements of the alpha API. */
function withAlphaDefaults(requirements: readonly Fields[], labels: Fields, report: ReportMessage): readonly Fields[] {
  const isOpen = (key: string): boolean =>
    !Object.hasOwn(labels, key) && !requirements.some((requirement) => requirement.key === key);
  const added: readonly Fields[] = [
    ...Object.entries(USUAL)
      .filter(([key]) => isOpen(key))
      .map(([key, value]) => ({ key, operator: 'In', values: [value] })),
    ...(SIZING.every(isOpen)
      ? [
          { key: CATEGORY, operator: 'In', values: ['c', 'm', 'r'] },
          { key: GENERATION, operator: 'Gt', values: ['2'] },
        ]
      : []),
  ];
  if (added.length > 0) {
    const keys = added.map(({ key }) => `${key}`).join(', ');
    report('W-01', 'spec.requirements', `defaults of the old version written out: ${keys}`);
  }
  return [...requirements, ...added];
}
