import { EC2_NODE_CLASS } from '../custom-resources/ec2-node-class.ts';
import { NODE_POOL } from '../custom-resources/node-pool.ts';
import { KUBELET_ANNOTATION } from '../keys/annotations.ts';
import type { ManifestObject } from '../manifests/manifest-object.ts';
import { findServedKind, isServed } from '../validate/served-kinds.ts';
import { convertAnnotations, convertLabels, convertMetadata, convertRequirements, convertTaints } from './keys.ts';
import type { ReportMessage } from './message.ts';
import { convertBetaClass, convertInlineProvider, convertNodeTemplate } from './node-class.ts';
import { buildPool, type ConvertedPool, groupedRef, kubeletOfAnnotation, tellDropped } from './pool-parts.ts';
import { convertProvisioner } from './provisioner.ts';
import { type Fields, omitFields, present, toFields, toText } from './written.ts';

export interface ConvertOptions {
  /** The IAM role of nodes, for objects that name none. */
  readonly role?: string;
  /** True to leave requirements as written, without the defaults of the old version. */
  readonly ignoreDefaults: boolean;
}

/** The result of converting one object. */
export interface Converted {
  readonly pool?: ConvertedPool;
  readonly nodeClass?: Fields;
  /** Other objects, including those that were v1 already. */
  readonly other?: Fields;
  /** An object of a kind that is not ours. */
  readonly unchanged?: Fields;
}

type Convert = (object: Fields, options: ConvertOptions, report: ReportMessage) => Converted;

const CONVERSIONS: ReadonlyMap<string, Convert> = new Map<string, Convert>([
  ['karpenter.sh/v1alpha5 Provisioner', provisioner],
  [
    'karpenter.k8s.aws/v1alpha1 AWSNodeTemplate',
    (object, options, report) => ({ nodeClass: convertNodeTemplate(object, options, report) }),
  ],
  [
    'karpenter.sh/v1alpha5 Machine',
    (_, __, report) => {
      report('X-02', '', 'made by the controller: its node is replaced when you migrate, not converted');
      return {};
    },
  ],
  ['karpenter.sh/v1beta1 NodePool', (object, _, report) => ({ pool: convertBetaPool(object, report) })],
  ['karpenter.k8s.aws/v1beta1 EC2NodeClass', (object, _, report) => ({ nodeClass: convertBetaClass(object, report) })],
  ['karpenter.sh/v1beta1 NodeClaim', (object, _, report) => ({ other: convertBetaClaim(object, report) })],
]);

function provisioner(object: Fields, options: ConvertOptions, report: ReportMessage): Converted {
  const { provider } = toFields(object.spec);
  const pool = convertProvisioner(object, options, report);
  if (provider === undefined) return { pool };
  const { name } = toFields(object.metadata);
  const tellOfProvider: ReportMessage = (code, path, text) =>
    report(code, path.replace(/^spec/, 'spec.provider'), text);
  return {
    pool,
    nodeClass: convertInlineProvider(name, toFields(provider), options, tellOfProvider),
  };
}

/** Converts one object of an old version to v1 objects. v1 objects stay as they are. */
export function convertObject(
  { apiVersion, kind, value }: Pick<ManifestObject, 'apiVersion' | 'kind' | 'value'>,
  options: ConvertOptions,
  report: ReportMessage,
): Converted {
  if (isServed({ apiVersion, kind })) {
    if (kind === NODE_POOL.kind) return { pool: readCurrentPool(value, report) };
    return kind === EC2_NODE_CLASS.kind ? { nodeClass: value } : { other: value };
  }
  const convert = CONVERSIONS.get(`${apiVersion} ${kind}`);
  if (convert) return convert(value, options, report);
  // Other kinds pass through, so that a folder with all manifests of a cluster can be converted.
  if (findServedKind({ apiVersion, kind }).outcome === 'foreign') return { unchanged: value };
  report('X-01', '', `${kind} of ${apiVersion} is not converted: skipped`);
  return {};
}

/** Converts a NodeClaim of v1beta1, for documentation only: nodes are replaced, not applied. */
function convertBetaClaim({ metadata, spec: writtenSpec }: Fields, report: ReportMessage): Fields {
  report('W-17', '', 'the controller creates NodeClaims; they are not applied');
  const spec = toFields(writtenSpec);
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: present(convertMetadata(toFields(metadata))),
    spec: present({
      ...omitFields(spec, ['kubelet']),
      nodeClassRef: groupedRef(toFields(spec.nodeClassRef)),
      taints: convertTaints(spec.taints),
      startupTaints: convertTaints(spec.startupTaints),
      requirements: convertRequirementsOfClaim(spec, report),
    }),
  };
}

/** Unlike a pool, a claim may name its pool. */
const convertRequirementsOfClaim = ({ requirements }: Fields, report: ReportMessage): readonly Fields[] =>
  convertRequirements(requirements, 'spec.requirements', report, 'NodeClaim');

/** Reads a NodePool of v1, whose kubelet settings Karpenter 1.0 may have kept in an annotation. */
function readCurrentPool(pool: Fields, report: ReportMessage): ConvertedPool {
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
function convertBetaPool({ metadata, spec: writtenSpec }: Fields, report: ReportMessage): ConvertedPool {
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
