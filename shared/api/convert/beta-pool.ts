import { KUBELET_ANNOTATION } from '../keys/annotations.ts';
import { convertAnnotations, convertLabels, convertRequirements, convertTaints } from './keys.ts';
import type { ReportMessage } from './message.ts';
import { buildPool, type ConvertedPool, groupedRef, kubeletOfAnnotation, tellDropped } from './pool-parts.ts';
import { type Fields, omitFields, present, toFields, toText } from './written.ts';

/** Reads a NodePool of v1, whose kubelet settings Karpenter 1.0 may have kept in an annotation. */
export function readCurrentPool(pool: Fields, report: ReportMessage): ConvertedPool {
  const metadata = toFields(pool.metadata);
  const kubelet = kubeletOfAnnotation(metadata, report);
  const { name } = toFields(toFields(toFields(toFields(pool.spec).template).spec).nodeClassRef);
  const annotations = omitFields(toFields(metadata.annotations), [KUBELET_ANNOTATION]);
  const { annotations: _, ...named } = metadata;
  return {
    pool: kubelet ? { ...pool, metadata: { ...named, ...present({ annotations }) } } : pool,
    className: toText(name) ?? '',
    isCurrent: true,
    ...(kubelet && { kubelet }),
  };
}

/** Converts a NodePool of v1beta1. */
export function convertBetaPool({ metadata, spec: writtenSpec }: Fields, report: ReportMessage): ConvertedPool {
  const { template: writtenTemplate, disruption, weight, limits, ...others } = toFields(writtenSpec);
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
      labels: convertLabels(toFields(template.metadata).labels, 'spec.template.metadata.labels', report),
      annotations: convertAnnotations(toFields(template.metadata).annotations),
    },
    nodeSpec: {
      ...omitFields(nodeSpec, ['kubelet', 'resources']),
      expireAfter: expireAfter ?? '720h',
      nodeClassRef: ref,
      taints: convertTaints(nodeSpec.taints),
      startupTaints: convertTaints(nodeSpec.startupTaints),
      requirements: convertRequirements(nodeSpec.requirements, 'spec.template.spec.requirements', report),
    },
  });
  const settings = toFields(kubelet);
  return {
    pool,
    className: ref.name,
    ...(Object.keys(settings).length > 0 && { kubelet: settings }),
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
