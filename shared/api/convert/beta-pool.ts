import { convertAnnotations, convertLabels, convertRequirements, convertTaints } from './keys.ts';
import type { ReportMessage } from './message.ts';
import { buildPool, type ConvertedPool, groupedRef, tellDropped } from './pool-parts.ts';
import { type Fields, omitFields, present, toFields, toText } from './written.ts';

const KUBELET_ANNOTATION = 'compatibility.karpenter.sh/v1beta1-kubelet-conversion';

/** Converts a NodePool of v1beta1. */
export function convertBetaPool(
  { metadata, spec: writtenSpec }: Fields,
  report: ReportMessage,
): ConvertedPool {
  const {
    template: writtenTemplate,
    disruption,
    weight,
    limits,
    ...others
  } = toFields(writtenSpec);
  const template = toFields(writtenTemplate);
  const nodeSpec = toFields(template.spec);
  tellDropped(others, 'spec', report);
  tellDropped(present({ resources: nodeSpec.resources }), 'spec.template.spec', report);

  const kubelet = nodeSpec.kubelet ?? kubeletOfAnnotation(toFields(metadata), report);
  const ref = groupedRef(toFields(nodeSpec.nodeClassRef));
  const { expireAfter, ...when } = toFields(disruption);
  const pool = buildPool({
    metadata,
    className: ref.name,
    weight,
    limits,
    disruption: betaDisruption(when),
    template: {
      labels: convertLabels(
        toFields(template.metadata).labels,
        'spec.template.metadata.labels',
        report,
      ),
      annotations: convertAnnotations(toFields(template.metadata).annotations),
    },
    nodeSpec: {
      ...omitFields(nodeSpec, ['kubelet', 'resources']),
      expireAfter: expireAfter ?? '720h',
      nodeClassRef: ref,
      taints: convertTaints(nodeSpec.taints),
      startupTaints: convertTaints(nodeSpec.startupTaints),
      requirements: convertRequirements(
        nodeSpec.requirements,
        'spec.template.spec.requirements',
        report,
      ),
    },
  });
  const settings = toFields(kubelet);
  return {
    pool,
    className: ref.name,
    ...(Object.keys(settings).length > 0 ? { kubelet: settings } : {}),
  };
}

/** The annotation in which Karpenter 1.0 kept kubelet settings, as JSON. */
function kubeletOfAnnotation({ annotations }: Fields, report: ReportMessage): unknown {
  const text = toText(toFields(annotations)[KUBELET_ANNOTATION]);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    report('W-04', `metadata.annotations.${KUBELET_ANNOTATION}`, 'dropped: it is no JSON');
    return undefined;
  }
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
