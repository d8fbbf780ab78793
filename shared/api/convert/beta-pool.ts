import { convertAnnotations, convertLabels, convertRequirements, convertTaints } from './keys.ts';
import type { Tell } from './message.ts';
import { type ConvertedPool, groupedRef, poolOf, tellDropped } from './pool-parts.ts';
import { type Fields, fieldsOf, othersOf, present, textOf } from './written.ts';

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

function betaDisruption(when: Fields): Fields {
  const { consolidationPolicy = 'WhenUnderutilized', consolidateAfter, ...others } = when;
  if (consolidationPolicy !== 'WhenUnderutilized') return when;
  return {
    consolidationPolicy: 'WhenEmptyOrUnderutilized',
    consolidateAfter: consolidateAfter ?? '0s',
    ...others,
  };
}
